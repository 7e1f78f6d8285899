import type { Kysely } from 'kysely';

export const name = '027-callers-of-schedules';

/** Runs of a schedule begin when no request is there that could say who is calling. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('schedules').addColumn('auth_user', 'text').execute();
}
