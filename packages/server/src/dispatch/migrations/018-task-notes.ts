import type { Kysely } from 'kysely';

export const name = '018-task-notes';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('note', 'text').execute();
}
