import type { Kysely } from 'kysely';

export const name = '001-shared-folder';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('shared_folder')
    .addColumn('only', 'integer', (column) => column.primaryKey())
    .addColumn('token', 'varchar(64)', (column) => column.notNull())
    .execute();
}
