import type { Kysely } from 'kysely';
import { dialectOf } from '../../platform/database/dialect.ts';

export const name = '028-no-indexes-of-events';

/**
 * Every statement about events names their thread, and SQLite then reads along the key of the table, in which the events of a thread
 * stand together. It never chose these indexes, and each event paid for them with 140 bytes and two writes. Postgres knows how many
 * events a thread and a run have, and uses them.
 */
export async function up(db: Kysely<never>): Promise<void> {
  if (dialectOf(db) === 'postgres') return;
  for (const index of ['run_events_category', 'run_events_run']) await db.schema.dropIndex(index).execute();
}
