import { expect, test } from 'vitest';
import { beginningOf } from './checkpoints.ts';

const state = (id: string, parent: string | null, runId: string, next: string[] = []) => ({
  checkpoint_id: id,
  parent_checkpoint_id: parent,
  metadata: { run_id: runId },
  next,
});
const states = [
  state('c4', 'c3', 'r2'),
  state('c3', 'c2', 'r2', ['__start__']),
  state('c2', 'c1', 'r1'),
  state('c1', null, 'r1', ['__start__']),
];

test('an answer is made again from the state before its run', () => {
  expect(beginningOf(states, 'r2')).toBe('c2');
});

test('the first answer of a thread is made again from its own first state, which holds nothing', () => {
  expect(beginningOf(states, 'r1')).toBe('c1');
});

test('states that do not reach back to the beginning of the run say so', () => {
  expect(beginningOf(states.slice(0, 1), 'r2')).toBeNull();
  expect(beginningOf(states, 'r9')).toBeNull();
});
