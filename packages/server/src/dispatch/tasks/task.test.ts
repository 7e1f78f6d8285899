import { expect, test } from 'vitest';
import { type AttemptRecord, decideCancel, decideRetry, promptIdOf } from './task.ts';

const taskId = '01939b1c-7f3a-7c11-9d2e-5a4f0c1b2d3e';

test('the first attempt has the id of its task as its prompt id, each later attempt a UUID of its own', () => {
  expect(promptIdOf(taskId, 1)).toBe(taskId);
  const later = Array.from({ length: 9 }, (_, index) => promptIdOf(taskId, index + 2));
  expect(new Set([taskId, ...later]).size).toBe(10);
  for (const id of later) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(promptIdOf(taskId, 2)).toBe(promptIdOf(taskId, 2));
  expect(promptIdOf('01939b1c-7f3a-7c11-9d2e-5a4f0c1b2d3f', 2)).not.toBe(promptIdOf(taskId, 2));
});

test('a waiting task is cancelled at once, a running one by asking the worker, once', () => {
  const cancel = (phase: Parameters<typeof decideCancel>[0]['phase'], cancelRequested = false) =>
    decideCancel({ phase, cancelRequested, errorCode: null });
  expect(cancel('queued')).toBe('end_now');
  expect(cancel('dispatching')).toBe('ask_worker');
  expect(cancel('executing')).toBe('ask_worker');
  expect(cancel('collecting')).toBe('ask_worker');
  expect(cancel('executing', true)).toBe('nothing_to_do');
});

test('cancelling again changes nothing, and cancelling a task that ended otherwise is refused', () => {
  const ended = { phase: 'ended', cancelRequested: false } as const;
  expect(decideCancel({ ...ended, errorCode: 'cancelled' })).toBe('nothing_to_do');
  expect(decideCancel({ ...ended, errorCode: 'lost' })).toBe('already_finished');
  expect(decideCancel({ ...ended, errorCode: null })).toBe('already_finished');
});

const fresh: AttemptRecord = {
  retry: 'on_lost',
  maxAttempts: 3,
  startedAttempts: 1,
  refusals: 0,
  interruptions: 0,
  cancelRequested: false,
};

test('by default a lost attempt runs again and an error of the workflow does not', () => {
  expect(decideRetry('lost', fresh).next).toBe('requeue');
  expect(decideRetry('stalled', fresh).next).toBe('requeue');
  expect(decideRetry('graph_error', fresh).next).toBe('fail');
  expect(decideRetry('worker_error', fresh).next).toBe('fail');
  expect(decideRetry('timed_out', fresh).next).toBe('fail');
});

test('with "never" a task starts at most once: another worker gets it only if the first certainly did not take it', () => {
  const record = { ...fresh, retry: 'never' } as const;
  expect(decideRetry('lost', record)).toEqual({ next: 'fail' });
  expect(decideRetry('graph_error', record)).toEqual({ next: 'fail' });
  expect(decideRetry('not_taken', { ...record, startedAttempts: 0, refusals: 1 }).next).toBe('requeue');
});

test('with "on_error" a task is also tried again after an error', () => {
  const record = { ...fresh, retry: 'on_error' } as const;
  expect(decideRetry('graph_error', record)).toMatchObject({ next: 'requeue' });
  expect(decideRetry('worker_error', record)).toMatchObject({ next: 'requeue' });
});

test('a task gets no more than the allowed attempts', () => {
  expect(decideRetry('lost', { ...fresh, startedAttempts: 2 }).next).toBe('requeue');
  expect(decideRetry('lost', { ...fresh, startedAttempts: 3 }).next).toBe('fail');
});

test('a task that no worker takes ends after twenty refusals', () => {
  expect(decideRetry('not_taken', { ...fresh, refusals: 19 }).next).toBe('requeue');
  expect(decideRetry('not_taken', { ...fresh, refusals: 20 }).next).toBe('fail');
});

test('an attempt that no worker knew of uses up none of the allowed ones, and has a bound of its own', () => {
  const record = { ...fresh, maxAttempts: 1, startedAttempts: 0 };
  for (const failure of ['unsent', 'untraced'] as const) {
    expect(decideRetry(failure, { ...record, interruptions: 9 }).next).toBe('requeue');
    expect(decideRetry(failure, { ...record, interruptions: 10 }).next).toBe('fail');
  }
});

test('with "never" a task is sent again only when the worker certainly did not have it', () => {
  const record = { ...fresh, retry: 'never', startedAttempts: 0, interruptions: 1 } as const;
  expect(decideRetry('unsent', record).next).toBe('requeue');
  expect(decideRetry('untraced', record).next).toBe('fail');
});

test('a task whose input is too large for a worker goes to another one at once, also with "never"', () => {
  for (const retry of ['never', 'on_lost'] as const) {
    const record = { ...fresh, retry, startedAttempts: 0 };
    expect(decideRetry('too_large', record)).toEqual({ next: 'requeue', delayMs: 0 });
  }
});

test('a task waits longer before each further try, up to a minute', () => {
  const delays = [1, 2, 3, 4, 12].map((refusals) => {
    const after = decideRetry('not_taken', { ...fresh, refusals });
    return after.next === 'requeue' ? after.delayMs : null;
  });
  expect(delays).toEqual([500, 1000, 2000, 4000, 60_000]);
});

test('a task that is being cancelled is never started again', () => {
  expect(decideRetry('lost', { ...fresh, cancelRequested: true })).toEqual({ next: 'fail' });
  expect(decideRetry('not_taken', { ...fresh, refusals: 1, cancelRequested: true })).toEqual({
    next: 'fail',
  });
});
