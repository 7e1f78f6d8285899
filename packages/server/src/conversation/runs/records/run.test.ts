import { describe, expect, test } from 'vitest';
import { stateOf } from '../../../../testing/scripted-runner.ts';
import {
  decideCancel,
  errorOf,
  isFrameOf,
  pauseOf,
  type RunOutcome,
  threadStatusAfter,
  valuesOf,
} from './run.ts';

const asking = stateOf({}, { next: ['a'], interrupts: { task: [{ id: 'i', value: 1 }] } });
const halfWay = stateOf({}, { next: ['a'] });
const done = stateOf({});

describe('the thread of a finished run', () => {
  test.each<[RunOutcome['status'], RunOutcome['state'], string]>([
    ['success', done, 'idle'],
    ['success', halfWay, 'interrupted'],
    ['success', asking, 'interrupted'],
    ['error', done, 'error'],
    ['error', asking, 'error'],
    ['timeout', halfWay, 'error'],
    ['interrupted', done, 'idle'],
    ['interrupted', halfWay, 'idle'],
    ['interrupted', asking, 'interrupted'],
    ['interrupted', undefined, 'idle'],
  ])('with %s is as its state says', (status, state, expected) => {
    const pause = state && pauseOf(state);
    expect(threadStatusAfter({ status, pause }, { othersOpen: false })).toBe(expected);
    expect(threadStatusAfter({ status, pause }, { othersOpen: true })).toBe('busy');
  });
});

test.each([
  [{ status: 'pending', ended_at: null, worker_id: null, attempt: 0 }, 'end_now'],
  [{ status: 'running', ended_at: null, worker_id: 'w', attempt: 1 }, 'ask_worker'],
  [{ status: 'running', ended_at: null, worker_id: null, attempt: 1 }, 'ask_worker'],
  [{ status: 'interrupted', ended_at: 'then', worker_id: null, attempt: 1 }, 'done_already'],
  [{ status: 'success', ended_at: 'then', worker_id: null, attempt: 1 }, 'refused'],
  [{ status: 'error', ended_at: 'then', worker_id: null, attempt: 1 }, 'refused'],
] as const)('cancelling %j: %s', (run, decision) => {
  expect(decideCancel(run)).toBe(decision);
});

test('waiting callers always get an object', () => {
  expect(valuesOf(undefined, null)).toEqual({});
  expect(valuesOf(asking, { name: 'E', message: 'm' })).toEqual({
    __interrupt__: [{ id: 'i', value: 1 }],
    __error__: { error: 'E', message: 'm' },
  });
});

test('a thrown value becomes text that every database accepts', () => {
  expect(errorOf(new TypeError('a\0b\ud800'))).toEqual({ name: 'TypeError', message: 'a\ufffdb\ufffd' });
  expect(errorOf('plain')).toEqual({ name: 'Error', message: 'plain' });
  expect(errorOf(new Error('x'.repeat(20_000))).message).toHaveLength(10_000);
});

test.each([
  ['messages', ['messages-tuple'], true],
  ['messages', ['messages'], false],
  ['messages/partial', ['messages'], true],
  ['messages/complete', ['messages-tuple'], false],
  ['updates|sub:1', ['updates'], true],
  ['values', ['updates'], false],
  ['metadata', [], true],
  ['error', [], true],
] as const)('the frame %s for readers of %j: %s', (event, modes, expected) => {
  expect(isFrameOf(modes, event)).toBe(expected);
});
