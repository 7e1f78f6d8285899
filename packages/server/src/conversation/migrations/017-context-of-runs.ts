import type { Kysely } from 'kysely';

export const name = '017-context-of-runs';

/** Runs of before have none: their calls would have to be read again. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('runs').addColumn('context_tokens', 'integer').execute();
}
