import { newId } from '../../lib/ids.ts';
import type { Database } from '../database/database.ts';
import { type Migration, migrate } from '../database/migrate.ts';

interface IdentityTables {
  database_identity: { only: number; id: string };
}

const migrations: readonly Migration[] = [
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
];

/** Returns the name of this database, which no other one has. The first call makes it. */
export async function databaseIdentity(database: Database<unknown>): Promise<string> {
  await migrate(database, 'identity', migrations);
  return database.withTables<IdentityTables>().write(async (trx) => {
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
