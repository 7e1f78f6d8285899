import type { TaskStatus } from '@switchyard/contract/dispatch/task';
import type { Kysely } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import { partOfCounter } from '../../platform/database/dialect.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { DispatchTables } from '../tables.ts';

export type TaskCounts = Record<TaskStatus, number>;

/**
 * Open tasks are few, since the queue has a limit, so they are counted on request. Stored counts cover only tasks that
 * have ended.
 */
const openStatuses: readonly TaskStatus[] = ['pending', 'running'];

/** The counts of one owner, or of all. */
export async function readCounts(
  { read }: Pick<Database<DispatchTables>, 'read'>,
  owner: string | undefined,
): Promise<TaskCounts> {
  const ended = read
    .selectFrom('task_counts')
    .select(['status', (select) => select.fn.sum<number>('count').as('count')])
    .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? ''))
    .groupBy('status');
  const open = read
    .selectFrom('tasks')
    .select(['status', (select) => select.fn.countAll<number>().as('count')])
    .where('status', 'in', openStatuses)
    .$if(owner !== undefined, (query) => query.where('owner', '=', owner ?? ''))
    .groupBy('status');
  const counts: TaskCounts = { pending: 0, running: 0, completed: 0, failed: 0 };
  for (const { status, count } of await ended.unionAll(open).execute()) {
    counts[status as TaskStatus] = Number(count);
  }
  return counts;
}

/** Part of the write that ends a task, which happens once for each task. */
export const oneMoreEnded = new Prepared(
  (
    db: Kysely<DispatchTables>,
    ended: { owner: string; status: Exclude<TaskStatus, 'pending' | 'running'> },
    dialect,
  ) =>
    db
      .insertInto('task_counts')
      .values({ owner: ended.owner, status: ended.status, part: partOfCounter(dialect), count: 1 })
      .onConflict((conflict) =>
        conflict.columns(['owner', 'status', 'part']).doUpdateSet((update) => ({
          count: update('task_counts.count', '+', update.ref('excluded.count')),
        })),
      ),
);
