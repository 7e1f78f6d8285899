import type { Kysely } from 'kysely';

export const name = '022-embeddings';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('instance_object_infos')
    .addColumn('embeddings', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute();
}
