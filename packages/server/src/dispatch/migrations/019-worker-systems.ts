import type { Kysely } from 'kysely';

export const name = '019-worker-systems';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('instances').addColumn('system', 'text').execute();
}
