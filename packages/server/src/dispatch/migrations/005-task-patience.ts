import type { Kysely } from 'kysely';

export const name = '005-task-patience';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('patience', 'text').execute();
}
