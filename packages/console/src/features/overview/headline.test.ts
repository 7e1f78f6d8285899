import type { PoolOverview } from '@switchyard/contract/dispatch/overview';
import { expect, it } from 'vitest';
import { headlineOf, warningsOf } from './headline.ts';

const counts: PoolOverview['counts'] = {
  totalInstances: 3,
  aliveInstances: 3,
  busyInstances: 2,
  pendingTasks: 10,
  runningTasks: 2,
  completedTasks: 0,
  failedTasks: 0,
  disabledInstances: 0,
  oldestPendingSeconds: 100,
  tasksPerMinute: 1,
  waitMsP50: null,
  waitMsP95: null,
  paused: null,
  pausedPools: [],
};
const instance = (instanceId: string, state: PoolOverview['instances'][number]['state']) => ({
  instanceId,
  serverName: instanceId,
  state,
  utilisation: 0,
  busy: [],
  lastUsedAt: null,
});
const say = (changes: Partial<typeof counts>, isEstimated = false) =>
  headlineOf({ counts: { ...counts, ...changes }, isEstimated });

it('says how many are busy and how many wait, with the estimate only when there is one', () => {
  expect(say({}, true)).toEqual({ key: 'waitingUntil', busy: 2, alive: 3, waiting: 10 });
  expect(say({})).toEqual({ key: 'waiting', busy: 2, alive: 3, waiting: 10 });
});

it('says when nothing waits, and when nothing runs', () => {
  expect(say({ pendingTasks: 0 })).toEqual({ key: 'working', busy: 2, alive: 3 });
  expect(say({ pendingTasks: 0, busyInstances: 0 })).toEqual({ key: 'free', alive: 3 });
});

it('says first what keeps every task from running', () => {
  expect(say({ paused: { since: '2026-01-01T00:00:00Z', reason: null } }).key).toBe('paused');
  expect(say({ totalInstances: 0, aliveInstances: 0 }).key).toBe('noInstances');
  expect(say({ aliveInstances: 0 }).key).toBe('noneReachable');
});

it('warns of no worker only while tasks wait', () => {
  const instances = [instance('a', 'off')];
  expect(warningsOf({ counts, instances })).toEqual([{ key: 'noWorker', count: 10 }]);
  expect(warningsOf({ counts: { ...counts, pendingTasks: 0 }, instances })).toEqual([]);
});

it('warns of each instance that is away, and of pauses that hold tasks', () => {
  const paused = { ...counts, pausedPools: ['gpu'] };
  expect(
    warningsOf({ counts: paused, instances: [instance('a', 'idle'), instance('b', 'unreachable')] }),
  ).toEqual([
    { key: 'unreachable', instanceId: 'b', name: 'b' },
    { key: 'pools', pools: ['gpu'] },
  ]);
});
