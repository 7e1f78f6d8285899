import type { Kysely, Transaction } from 'kysely';
import { systemClock, toIso } from '../../lib/clock.ts';
import type { Database } from './database.ts';
import { tableExists } from './table-exists.ts';

export interface Migration {
  /**
   * For example `001-accounts`: its place in the order. After a release neither the name nor the migration may change.
   */
  name: string;
  up(db: Kysely<never>): Promise<void>;
}

interface HistoryTables {
  [table: `${string}_migrations`]: { name: string; applied_at: string };
}

/**
 * Brings the tables of one area up to date, completely or not at all, and returns the names of the migrations that it
 * applied. Any number of processes may call it at once: the first one migrates, the others find it done.
 */
export async function migrate(
  database: Database<unknown>,
  area: string,
  migrations: readonly Migration[],
): Promise<string[]> {
  const history = `${area}_migrations` as const;
  return database.withTables<HistoryTables>().exclusive(async (trx) => {
    await createHistory(trx, history);
    const applied = await trx.selectFrom(history).select('name').orderBy('name').execute();
    const pending = pendingAfter(
      applied.map(({ name }) => name),
      { area, migrations },
    );
    for (const migration of pending) {
      await migration.up(trx as unknown as Kysely<never>);
      await trx
        .insertInto(history)
        .values({ name: migration.name, applied_at: toIso(systemClock()) })
        .execute();
    }
    return pending.map(({ name }) => name);
  });
}

/**
 * Returns the names of the migrations that `migrate` would apply, and changes nothing. Throws the same errors, for a database
 * that is newer than this version.
 */
export async function pendingMigrations(
  database: Database<unknown>,
  area: string,
  migrations: readonly Migration[],
): Promise<string[]> {
  const names = await appliedMigrations(database, area);
  return pendingAfter(names, { area, migrations }).map(({ name }) => name);
}

/** Returns the names of the migrations that a database has had, and changes nothing. */
export async function appliedMigrations(database: Database<unknown>, area: string): Promise<string[]> {
  const history = `${area}_migrations` as const;
  if (!(await tableExists(database, history))) return [];
  const { read } = database.withTables<HistoryTables>();
  const applied = await read.selectFrom(history).select('name').orderBy('name').execute();
  return applied.map(({ name }) => name);
}

async function createHistory(trx: Transaction<HistoryTables>, history: string): Promise<void> {
  await trx.schema
    .createTable(history)
    .ifNotExists()
    .addColumn('name', 'varchar(128)', (column) => column.primaryKey())
    .addColumn('applied_at', 'varchar(24)', (column) => column.notNull())
    .execute();
}

function pendingAfter(
  applied: readonly string[],
  { area, migrations }: { area: string; migrations: readonly Migration[] },
): readonly Migration[] {
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `The database is newer than this version: it has the migration ${unknown.join(', ')} of ${area}, which this version does not know. Start the version that made it, or restore a backup from before.`,
    );
  }
  const pending = migrations.filter(({ name }) => !applied.includes(name));
  const skipped = pending.find(({ name }) => applied.some((later) => later > name));
  if (skipped) {
    throw new Error(
      `The database has later migrations of ${area} than ${skipped.name}, but not that one. It was written by a version from another branch; restore a backup from before.`,
    );
  }
  return pending;
}
