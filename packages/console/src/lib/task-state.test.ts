import { expect, it } from 'vitest';
import { picturesOf, ranMs, remainingMs, shortId, stateOf, waitedMs } from './task-state.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const cancelled = { code: 'cancelled', message: 'Cancelled.' } as const;
const failed = { code: 'lost', message: 'Lost.' } as const;
const times = {
  status: 'running',
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: null,
  finishedAt: null,
} as const;

it.each([
  [{ status: 'pending', error: null, cancelRequested: false }, 'waiting'],
  [{ status: 'running', error: null, cancelRequested: false }, 'running'],
  [{ status: 'running', error: null, cancelRequested: true }, 'stopping'],
  [{ status: 'completed', error: null, cancelRequested: false }, 'done'],
  [{ status: 'failed', error: failed, cancelRequested: false }, 'failed'],
  [{ status: 'failed', error: cancelled, cancelRequested: true }, 'cancelled'],
] as const)('calls %j %s', (task, state) => {
  expect(stateOf(task)).toBe(state);
});

it('counts the wait until the start, and on while the task waits', () => {
  expect(waitedMs({ ...times, startedAt: '2026-01-01T00:01:00Z' }, now)).toBe(60_000);
  expect(waitedMs(times, now)).toBe(600_000);
});

it('counts no wait beyond the end of a task that never started', () => {
  expect(waitedMs({ ...times, finishedAt: '2026-01-01T00:02:00Z' }, now)).toBe(120_000);
  expect(ranMs({ ...times, finishedAt: '2026-01-01T00:02:00Z' }, now)).toBeNull();
});

it('counts the work from the start to the end, and on while it runs', () => {
  const started = { ...times, startedAt: '2026-01-01T00:09:00Z' };
  expect(ranMs(started, now)).toBe(60_000);
  expect(ranMs({ ...started, finishedAt: '2026-01-01T00:09:10Z' }, now)).toBe(10_000);
});

it('has no estimate where the gateway has none, and none below zero', () => {
  expect(remainingMs(null, now)).toBeNull();
  const eta = { from: '2026-01-01T00:09:00Z', to: '2026-01-01T00:11:00Z' };
  expect(remainingMs(eta, now)).toEqual({ from: 0, to: 60_000 });
});

it('tells tasks apart by the end of their ids', () => {
  expect(shortId('0199aaaa-0000-7000-8000-0123456789ab')).toBe('456789ab');
});

it('takes only pictures for pictures', () => {
  const output = { fileId: 'f', filename: 'a', url: '', size: 1, node: '1' };
  const outputs = [
    { ...output, contentType: 'text/plain' },
    { ...output, contentType: 'image/png' },
  ];
  expect(
    picturesOf({ result: { files: [], texts: [], outputsReused: false, outputsMissing: 0, outputs } }),
  ).toEqual([outputs[1]]);
  expect(picturesOf({ result: null })).toEqual([]);
});
