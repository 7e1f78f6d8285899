import { type Kysely, sql } from 'kysely';

export const name = '002-waits';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('jobs').addColumn('waitMs', 'bigint').execute();
  await sql`update jobs set "waitMs" = "intervalMs" where runner is null`.execute(db);
}
