import type { Kysely } from 'kysely';

export const name = '016-sentences';

/** Codes beside the texts of the gateway. Rows of earlier versions get theirs while the gateway runs. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('tasks').addColumn('warningSentences', 'text').execute();
  await db.schema.alterTable('instances').addColumn('lastErrorSentences', 'text').execute();
  await db.schema.alterTable('instance_events').addColumn('sentences', 'text').execute();
  await db.schema.alterTable('webhook_deliveries').addColumn('lastErrorSentences', 'text').execute();
}
