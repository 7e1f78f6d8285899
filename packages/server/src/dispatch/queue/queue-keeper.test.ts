import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { TaskRow } from '../tables.ts';
import type { AttemptRow } from '../tasks/attempt-store.ts';
import type { PendingTask } from './pending-entry.ts';
import { QueueKeeper } from './queue-keeper.ts';

const emptyQueue = {
  add: () => undefined,
  get: () => undefined,
  has: () => false,
  ids: [],
  moveToFront: () => undefined,
  remove: () => undefined,
  size: 0,
};
const need = { nodeClasses: ['A'], models: [], pool: null, pinnedInstanceId: null };

test('after a restart a task still avoids the instance that has refused it', async () => {
  const time = new ManualTime();
  const row = (id: string, attempt: number) =>
    ({ id, attempt, createdAt: new Date(0).toISOString(), requirement: JSON.stringify(need) }) as TaskRow & {
      requirement: string;
    };
  const endedAt = new Date(time.now() - 500).toISOString();
  const refused = { taskId: 'tried', instanceId: 'a', outcome: 'not_taken', endedAt } as AttemptRow;
  const added: PendingTask[] = [];
  const keeper = new QueueKeeper({
    tasks: {
      queuedAfter: async () => [row('new', 0), row('tried', 1)],
      queuedIdsAfter: async () => [],
      queuedStateAfter: async () => [],
      queuedAmong: async () => new Set(),
      counts: async () => ({ pending: 2, running: 0, completed: 0, failed: 0 }),
    },
    attempts: { ofEach: async (ids) => new Map(ids.map((id) => [id, [{ ...refused, taskId: id }]])) },
    queue: { ...emptyQueue, add: (task) => added.push(task) },
    isShared: false,
    alongside: async () => undefined,
    pauses: { load: async () => undefined },
    avoidMs: 2_000,
    clock: time.now,
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
  await keeper.start();
  await keeper.close();
  expect(added.map(({ id, avoids }) => [id, avoids])).toEqual([
    ['new', []],
    ['tried', [{ instanceId: 'a', untilMs: time.now() + 1_500 }]],
  ]);
});
