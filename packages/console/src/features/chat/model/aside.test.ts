import type { AnswerVersion } from '@switchyard/contract/conversation/answers';
import { expect, test } from 'vitest';
import { canBeginAside, isAside, offersAt, originOf, subjectOf } from './aside.ts';
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

test('an aside is named after the question that it begins at, on one line and not at length', () => {
  const asked = (content: string) => ({ human: { type: 'human', content } }) as Turn;
  expect(subjectOf(asked('Make it\n  darker'), 'A poster')).toBe('Make it darker');
  expect(subjectOf(asked('🎨'.repeat(61)), null)).toBe(`${'🎨'.repeat(60)}…`);
  expect(subjectOf(asked(' '), 'A poster')).toBe('A poster');
  expect(subjectOf({ human: null } as Turn, 'A poster')).toBe('A poster');
  expect(subjectOf({ human: null } as Turn, null)).toBeNull();
});

test('an older version offers an aside and a branch while its state is stored', () => {
  const last = { run: { status: 'success' }, answerId: 'a1', isLive: false } as Turn;
  const stored = { checkpoint_id: 'c1' } as AnswerVersion;
  const gone = { checkpoint_id: null } as AnswerVersion;
  const both = { branch: true, aside: true };
  const none = { branch: false, aside: false };
  expect(offersAt(last, { version: stored, canBranch: true })).toEqual(both);
  expect(offersAt(last, { version: gone, canBranch: true })).toEqual(none);
  expect(offersAt(last, { version: stored, canBranch: false })).toEqual(none);
  expect(offersAt({ ...last, answerId: null }, { version: stored, canBranch: true })).toEqual({
    ...both,
    branch: false,
  });
  expect(offersAt({ ...last, answerId: null }, { version: null, canBranch: true })).toEqual(both);
});
