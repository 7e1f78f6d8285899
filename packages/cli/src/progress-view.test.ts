import { expect, it } from 'vitest';
import { barText } from './progress-view.ts';

const running = {
  id: 'a',
  status: 'running',
  progress: 50,
  node: 'KSampler',
  instanceId: '127.0.0.1:8188',
} as const;
const waiting = { id: 'b', status: 'pending', progress: 0, node: null, instanceId: null } as const;
const failed = { id: 'c', status: 'failed', progress: 10, node: null, instanceId: '127.0.0.1:8188' } as const;

it('a bar shows the percentage of a task and the node that runs', () => {
  expect(barText(running, [running])).toMatch(/^█+░+ {2}50% {2}KSampler$/);
});

it('a bar of several counts those that have ended as done, whatever became of them', () => {
  expect(barText(running, [running, failed])).toMatch(/ {2}75% {2}1\/2 {2}KSampler$/);
});

it('a bar says that a task waits', () => {
  expect(barText(waiting, [waiting])).toMatch(/^░+ {3}0% {2}waiting for an instance$/);
});
