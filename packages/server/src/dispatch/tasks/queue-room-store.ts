import { sql } from 'kysely';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';

/** Names these locks in the database; any number that no other lock has. */
const locks = 7_300_014;

/**
 * Counts the tasks that wait, of one user or of all, without those that this unit hands in last. Units that count the same wait for each
 * other, so that two replicas never both take the last place. For Postgres, which alone has several replicas.
 */
export async function countQueued(
  trx: WriteTransaction<DispatchTables>,
  owner: string | null,
): Promise<number> {
  await sql`select pg_advisory_xact_lock(${locks}, hashtext(${owner ?? ''}))`.execute(trx);
  const counted = await trx
    .selectFrom('tasks')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('status', '=', 'pending')
    .where('phase', '=', 'queued')
    .$if(owner !== null, (query) => query.where('owner', '=', owner))
    .executeTakeFirstOrThrow();
  return Number(counted.count);
}
