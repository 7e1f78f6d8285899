import type { Kysely } from 'kysely';

export const name = '010-old-deliveries';

/** The sweep over deliveries, and the page that says what it will delete, find them by their time. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('webhook_deliveries_created')
    .on('webhook_deliveries')
    .column('createdAt')
    .execute();
}
