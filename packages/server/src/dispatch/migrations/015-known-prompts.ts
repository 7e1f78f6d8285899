import type { Kysely } from 'kysely';

export const name = '015-known-prompts';

/** A prompt that the worker knew when it was given the task; attempts of earlier versions have none. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('task_attempts').addColumn('knownPromptId', 'text').execute();
}
