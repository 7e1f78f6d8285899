import { sql } from 'kysely';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { DispatchTables } from '../tables.ts';

/** Names the lock in the database; any number that no other lock has. */
const lock = 7_300_014;

/**
 * Counts the tasks that wait, those of this unit included. Units that count wait for each other, so that two replicas
 * never both take the last place. For Postgres, which alone has several replicas.
 */
export async function countQueued(
  trx: WriteTransaction<DispatchTables>,
  owner: string,
): Promise<{ all: number; own: number }> {
  await sql`select pg_advisory_xact_lock(${lock})`.execute(trx);
  const counted = await trx
    .selectFrom('tasks')
    .select((select) => [
      select.fn.countAll<number>().as('all'),
      select.fn.countAll<number>().filterWhere('owner', '=', owner).as('own'),
    ])
    .where('status', '=', 'pending')
    .where('phase', '=', 'queued')
    .executeTakeFirstOrThrow();
  return { all: Number(counted.all), own: Number(counted.own) };
}
