import type { TaskStatus } from '@switchyard/contract/dispatch/task';
import type { Kysely } from 'kysely';
import type { Database, WriteTransaction } from '../platform/database/database.ts';
import { Prepared } from '../platform/database/prepared.ts';
import type { DispatchTables } from './tables.ts';

export type TaskCounts = Record<TaskStatus, number>;

/** Few at any time, since a queue has a limit: they are counted when somebody asks. Only those that ended are kept count of. */
const openStatuses: readonly TaskStatus[] = ['pending', 'running'];

/**
 * What a write changes about the kept counters. Applied once, at its end and in one order, so that two writes that count
 * for the same owners never wait for each other crosswise.
 */
export class CountChanges {
  readonly #changes = new Map<string, { owner: string; status: TaskStatus; delta: number }>();

  add(owner: string, status: TaskStatus, delta = 1): void {
    if (openStatuses.includes(status)) return;
    const key = JSON.stringify([owner, status]);
    const known = this.#changes.get(key)?.delta ?? 0;
    this.#changes.set(key, { owner, status, delta: known + delta });
  }

  move(owner: string, from: TaskStatus, to: TaskStatus): void {
    this.add(owner, from, -1);
    this.add(owner, to, 1);
  }

  async write(trx: WriteTransaction<DispatchTables>): Promise<void> {
    const changes = [...this.#changes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change);
    for (const { owner, status, delta } of changes) {
      if (delta === 0) continue;
      await countChange.run(trx, { owner, status, delta });
    }
  }
}

/** Of one owner, or of all. */
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

const countChange = new Prepared(
  (db: Kysely<DispatchTables>, change: { owner: string; status: string; delta: number }) =>
    db
      .insertInto('task_counts')
      .values({ owner: change.owner, status: change.status, count: change.delta })
      .onConflict((conflict) =>
        conflict.columns(['owner', 'status']).doUpdateSet((update) => ({
          count: update('task_counts.count', '+', update.ref('excluded.count')),
        })),
      ),
);
