import { rm } from 'node:fs/promises';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import { databaseNowMs } from '../../platform/database/database-time.ts';
import { appliedMigrations, migrate, pendingMigrations } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openAlone, openDatabase } from '../../platform/database/open.ts';
import { copySqlite } from '../../platform/database/sqlite/sqlite-copy.ts';
import { copyTables, type Sums, type TableSource } from '../../platform/database/transfer/copy-tables.ts';
import { sqliteSource, sqliteTarget } from '../../platform/database/transfer/sqlite-tables.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { areaMigrations } from '../area-migrations.ts';
import { databaseOptions } from '../options-of-config.ts';
import { syncFile } from './backup-folder.ts';

type OnProgress = (done: number, total: number) => void;

/**
 * Copies the database of a gateway, which may run, into a new SQLite file. Everything that it had acknowledged before `takenAtMs` is
 * in the copy.
 */
export async function copyDatabase(
  { config, clock, log }: { config: Config; clock: Clock; log: Logger },
  file: string,
  onProgress: OnProgress,
): Promise<{ takenAtMs: number; backend: 'sqlite' | 'postgres' }> {
  const options = databaseOptions(config, log);
  if (options.backend === 'memory') throw new Error('A database in memory cannot be copied.');
  if (options.backend === 'sqlite') {
    const takenAtMs = clock();
    await copySqlite({ from: options.file, to: file }, onProgress);
    return { takenAtMs, backend: 'sqlite' };
  }
  const database = await openDatabase(options);
  try {
    const takenAtMs = await databaseNowMs(database, database.read);
    await copyRows({ from: options, tablesOf: database, to: { backend: 'sqlite', file } }, onProgress);
    return { takenAtMs, backend: 'postgres' };
  } finally {
    await database.close();
  }
}

interface Rows {
  from: DatabaseOptions;
  /** The same database as `from`. */
  tablesOf: Database<unknown>;
  /** An empty database. A file does not exist yet, and no other process uses it. */
  to: DatabaseOptions;
}

/** Makes the tables that a database has in another one, and copies all rows. Returns what was copied. */
export async function copyRows({ from, tablesOf, to }: Rows, onProgress: OnProgress): Promise<Sums> {
  const empty = to.backend === 'sqlite' ? openAlone(to.file) : await openDatabase(to);
  try {
    await makeTables(tablesOf, empty);
  } finally {
    await empty.close();
  }
  const source = await sourceOf(from);
  try {
    const target = await targetOf(to);
    try {
      const sums = await copyTables({ source, target, onProgress });
      await target.commit();
      return sums;
    } finally {
      await target.close();
      if (to.backend === 'sqlite') await syncFile(to.file);
    }
  } finally {
    await source.close();
  }
}

/** Takes the same steps of each area that the other database has had. Throws when that is newer than this version. */
async function makeTables(like: Database<unknown>, database: Database<unknown>): Promise<void> {
  for (const [area, migrations] of areaMigrations) {
    await pendingMigrations(like, area, migrations);
    const applied = await appliedMigrations(like, area);
    const some = migrations.filter(({ name }) => applied.includes(name));
    if (some.length > 0) await migrate(database, area, some);
  }
}

export async function sourceOf(options: DatabaseOptions): Promise<TableSource> {
  if (options.backend === 'sqlite') return sqliteSource(options.file);
  if (options.backend === 'memory') throw new Error('A database in memory has nothing to copy.');
  const { postgresSource } = await import('../../platform/database/transfer/postgres-tables.ts');
  return postgresSource(options);
}

async function targetOf(options: DatabaseOptions) {
  if (options.backend === 'sqlite') return sqliteTarget(options.file);
  if (options.backend === 'memory') throw new Error('A database in memory keeps nothing.');
  const { postgresTarget } = await import('../../platform/database/transfer/postgres-tables.ts');
  return postgresTarget(options);
}

/** Returns the number of rows of each table. */
export async function rowsIn(options: DatabaseOptions): Promise<Record<string, number>> {
  const source = await sourceOf(options);
  try {
    const rows: Record<string, number> = {};
    for (const name of (await source.tables()).keys()) rows[name] = await source.count(name);
    return rows;
  } finally {
    await source.close();
  }
}

/** A file that was broken off while it was filled, with what SQLite keeps beside it. */
export async function removeSqlite(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(file + suffix, { force: true });
}
