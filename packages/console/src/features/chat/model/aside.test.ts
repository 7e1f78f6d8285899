import { expect, test } from 'vitest';
import { canBeginAside, isAside, originOf } from './aside.ts';
import type { Turn } from './turn.ts';

test('an aside is known by its mark, and its origin by where it was branched', () => {
  const metadata = { deerflow_sidecar: true, branch_parent_thread_id: 't1' };
  expect(isAside({ metadata })).toBe(true);
  expect(isAside({ metadata: { ...metadata, deerflow_sidecar: false } })).toBe(false);
  expect(originOf({ metadata })).toBe('t1');
  expect(originOf({ metadata: {} })).toBeNull();
});

test('an aside begins at a finished answer', () => {
  const turn = { run: { status: 'success' }, answerId: 'a1', isLive: false } as Turn;
  expect(canBeginAside(turn)).toBe(true);
  expect(canBeginAside({ ...turn, isLive: true })).toBe(false);
  expect(canBeginAside({ ...turn, answerId: null })).toBe(false);
  expect(canBeginAside({ ...turn, run: null })).toBe(false);
});
