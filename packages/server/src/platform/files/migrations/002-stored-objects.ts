import type { Kysely } from 'kysely';

export const name = '002-stored-objects';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('stored_objects')
    .addColumn('sha256', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('key', 'varchar(64)', (column) => column.notNull().unique())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('storedAtMs', 'bigint', (column) => column.notNull())
    .execute();
}
