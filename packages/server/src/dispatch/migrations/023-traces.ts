import type { Kysely } from 'kysely';

export const name = '023-traces';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('traceparent', 'varchar(55)').execute();
}
