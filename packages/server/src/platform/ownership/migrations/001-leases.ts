import type { Kysely } from 'kysely';

export const name = '001-leases';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('leases')
    .addColumn('key', 'varchar(255)', (column) => column.primaryKey())
    .addColumn('token', 'bigint', (column) => column.notNull())
    .addColumn('holder', 'varchar(36)')
    .addColumn('expiresAtMs', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('leases_expires').on('leases').column('expiresAtMs').execute();
}
