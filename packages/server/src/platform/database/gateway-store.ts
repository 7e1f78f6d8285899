import { newId } from '../../lib/ids.ts';
import type { Database } from './database.ts';
import { type Migration, migrate } from './migrate.ts';
import { tableExists } from './table-exists.ts';

interface GatewayTables {
  /** One row: the name of this database, which no other one has. */
  database_identity: { only: number; id: string };
  /** One row in a database that was restored from a backup. Times are ISO text. */
  restored_gateway: { only: number; restore: string; restoredAt: string; takenAt: string; isQuiet: number };
}

/** The facts of a database about the backup from which it was restored. */
export interface RestoredGateway {
  /** The name of the restoration. */
  restore: string;
  restoredAt: string;
  /** The time of the backup. */
  takenAt: string;
  /** True until somebody says that this is the gateway that works. */
  isQuiet: boolean;
}

export const identityMigrations: readonly Migration[] = [
  {
    name: '001-identity',
    up: async (db) => {
      await db.schema
        .createTable('database_identity')
        .addColumn('only', 'integer', (column) => column.primaryKey())
        .addColumn('id', 'varchar(36)', (column) => column.notNull())
        .execute();
    },
  },
  {
    name: '002-restored',
    up: async (db) => {
      await db.schema
        .createTable('restored_gateway')
        .addColumn('only', 'integer', (column) => column.primaryKey())
        .addColumn('restore', 'varchar(36)', (column) => column.notNull())
        .addColumn('restoredAt', 'varchar(24)', (column) => column.notNull())
        .addColumn('takenAt', 'varchar(24)', (column) => column.notNull())
        .addColumn('isQuiet', 'integer', (column) => column.notNull())
        .execute();
    },
  },
];

/** Returns the name of this database, which no other one has. The first call makes it. */
export async function databaseIdentity(database: Database<unknown>): Promise<string> {
  await migrate(database, 'identity', identityMigrations);
  return database.withTables<GatewayTables>().write(async (trx) => {
    await trx
      .insertInto('database_identity')
      .values({ only: 1, id: newId() })
      .onConflict((conflict) => conflict.column('only').doNothing())
      .execute();
    const { id } = await trx
      .selectFrom('database_identity')
      .select('id')
      .where('only', '=', 1)
      .executeTakeFirstOrThrow();
    return id;
  });
}

/** Returns the name of a database that is only read; null when no gateway of this version has used it yet. */
export async function knownIdentity(database: Database<unknown>): Promise<string | null> {
  if (!(await tableExists(database, 'database_identity'))) return null;
  const row = await database
    .withTables<GatewayTables>()
    .read.selectFrom('database_identity')
    .select('id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Returns null for a database that was not restored. */
export async function restoredGateway(database: Database<unknown>): Promise<RestoredGateway | null> {
  if (!(await tableExists(database, 'restored_gateway'))) return null;
  const row = await database
    .withTables<GatewayTables>()
    .read.selectFrom('restored_gateway')
    .select(['restore', 'restoredAt', 'takenAt', 'isQuiet'])
    .executeTakeFirst();
  return row ? { ...row, isQuiet: row.isQuiet === 1 } : null;
}

/**
 * Records in a database from which backup it was restored. The database gets the name of the restoration, so that it is
 * not taken for the database from which the backup was made.
 */
export async function markRestored(
  database: Database<unknown>,
  { isQuiet, ...restored }: RestoredGateway,
): Promise<void> {
  await migrate(database, 'identity', identityMigrations);
  await database.withTables<GatewayTables>().write(async (trx) => {
    await trx.deleteFrom('database_identity').execute();
    await trx.deleteFrom('restored_gateway').execute();
    await trx
      .insertInto('restored_gateway')
      .values({ only: 1, ...restored, isQuiet: isQuiet ? 1 : 0 })
      .execute();
    await trx.insertInto('database_identity').values({ only: 1, id: restored.restore }).execute();
  });
}

/** Ends the quiet of a restored gateway. Returns false when it was not quiet. */
export async function endQuiet(database: Database<unknown>): Promise<boolean> {
  if (!(await tableExists(database, 'restored_gateway'))) return false;
  return database.withTables<GatewayTables>().write(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('restored_gateway')
      .set({ isQuiet: 0 })
      .where('isQuiet', '=', 1)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });
}
