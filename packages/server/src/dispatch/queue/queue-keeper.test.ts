import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { AttemptRow } from '../tasks/attempt-store.ts';
import { Matchmaker } from './matchmaker.ts';
import type { PendingTask } from './pending-entry.ts';
import { pendingOf } from './pending-task.ts';
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
const row = (id: string, attempt = 0) => ({
  id,
  owner: 'ada',
  priority: 0,
  attempt,
  fingerprint: 'f',
  frontAt: null,
  createdAt: new Date(0).toISOString(),
  requirement: JSON.stringify(need),
});

test('after a restart a task still avoids the instance that has refused it', async () => {
  const time = new ManualTime();
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

test('with several replicas the queue loses what waits no more, and follows what others have moved', async () => {
  const time = new ManualTime();
  const queue = new Matchmaker({ timer: time.timer, clock: time.now });
  for (const id of ['claimed', 'kept', 'moved']) queue.add(pendingOf(row(id), need));
  let alongside = 0;
  const keeper = new QueueKeeper({
    tasks: {
      queuedAfter: async () => [row('missing')],
      queuedIdsAfter: async () => [],
      queuedStateAfter: async () => [
        { id: 'kept', attempt: 0, frontAt: null },
        { id: 'missing', attempt: 0, frontAt: null },
        { id: 'moved', attempt: 0, frontAt: new Date(time.now()).toISOString() },
      ],
      queuedAmong: async () => new Set(),
      counts: async () => ({ pending: 3, running: 0, completed: 0, failed: 0 }),
    },
    attempts: { ofEach: async () => new Map() },
    queue,
    pauses: { load: async () => undefined },
    avoidMs: 2_000,
    isShared: true,
    alongside: async () => {
      alongside += 1;
    },
    clock: time.now,
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
  await keeper.sweep();
  expect(new Set(queue.ids)).toEqual(new Set(['kept', 'missing', 'moved']));
  expect(queue.position('moved')).toBe(1);
  expect(alongside).toBe(1);
  await keeper.close();
  queue.close();
});

test('tasks whose news did not arrive are read together, not one by one', async () => {
  const time = new ManualTime();
  const ids = Array.from({ length: 300 }, (_, index) => `t${String(index).padStart(3, '0')}`);
  const queue = new Matchmaker({ timer: time.timer, clock: time.now });
  queue.add(pendingOf(row('t100'), need));
  let questions = 0;
  const after = (lastId: string, max: number): string[] => ids.filter((id) => id > lastId).slice(0, max);
  const keeper = new QueueKeeper({
    tasks: {
      queuedAfter: async (lastId, max) => {
        questions += 1;
        return after(lastId, max).map(row);
      },
      queuedIdsAfter: async (lastId, max) => after(lastId, max),
      queuedStateAfter: async (lastId, max) =>
        after(lastId, max).map((id) => ({ id, attempt: 0, frontAt: null })),
      queuedAmong: async () => new Set(),
      counts: async () => ({ pending: ids.length, running: 0, completed: 0, failed: 0 }),
    },
    attempts: { ofEach: async () => new Map() },
    queue,
    pauses: { load: async () => undefined },
    avoidMs: 2_000,
    isShared: true,
    alongside: async () => undefined,
    clock: time.now,
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
  await keeper.sweep();
  expect([...queue.ids].sort()).toEqual(ids);
  expect(questions).toBe(2);
  await keeper.close();
  queue.close();
});

test('rows are compared often while someone here listens, and seldom otherwise', async () => {
  const time = new ManualTime();
  const queue = new Matchmaker({ timer: time.timer, clock: time.now });
  let isUrgent = false;
  let compared = 0;
  const keeper = new QueueKeeper({
    tasks: {
      queuedAfter: async () => [],
      queuedIdsAfter: async () => [],
      queuedStateAfter: async () => [],
      queuedAmong: async () => new Set(),
      counts: async () => ({ pending: 0, running: 0, completed: 0, failed: 0 }),
    },
    attempts: { ofEach: async () => new Map() },
    queue,
    pauses: { load: async () => undefined },
    avoidMs: 2_000,
    isShared: true,
    isUrgent: () => isUrgent,
    alongside: async () => {
      compared += 1;
    },
    clock: time.now,
    timer: time.timer,
    onFault: (error) => {
      throw error;
    },
  });
  const pass = async (ms: number) => {
    time.advance(ms);
    // The next comparison is planned after this one.
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return compared;
  };
  await keeper.start();
  expect([await pass(9_999), await pass(1)]).toEqual([0, 1]);
  isUrgent = true;
  expect([await pass(10_000), await pass(2_000), await pass(2_000)]).toEqual([2, 3, 4]);
  await keeper.close();
  queue.close();
});
