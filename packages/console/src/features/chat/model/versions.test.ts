import type { AnswerVersion, ThreadAnswers } from '@switchyard/contract/conversation/answers';
import { expect, test } from 'vitest';
import { keyOf, lastVersions, olderVersion, placeOf } from './versions.ts';

const version = (run_id: string, is_newest = false): AnswerVersion => ({
  run_id,
  status: 'success',
  created_at: '2030-01-01T00:00:00.000Z',
  is_newest,
  last_run_id: run_id,
  checkpoint_id: `after ${run_id}`,
});
const answers: ThreadAnswers = {
  data: [
    { versions: [version('a1'), version('a2', true), version('a3')] },
    { versions: [version('b1', true), version('b2')] },
  ],
  has_more: false,
};

test('an answer knows its number and the versions beside it', () => {
  expect(placeOf(answers, 'a3')).toEqual({
    id: 'a1',
    number: 3,
    count: 3,
    before: { runId: null },
    after: null,
  });
  expect(placeOf(answers, 'a1')).toMatchObject({ number: 1, before: null, after: { runId: null } });
  expect(placeOf(answers, 'b1')).toMatchObject({ id: 'b1', number: 1, count: 2, after: { runId: 'b2' } });
});

test('an answer that was given once has no versions', () => {
  expect(placeOf(answers, 'c1')).toBeNull();
  expect(placeOf(undefined, 'a1')).toBeNull();
});

test('the address names an older conversation, and nothing else takes the page away from the newest', () => {
  expect(olderVersion(answers, 'a1')).toMatchObject({ run_id: 'a1', checkpoint_id: 'after a1' });
  expect(olderVersion(answers, 'a2')).toBeNull();
  expect(olderVersion(answers, 'gone')).toBeNull();
  expect(olderVersion(answers, null)).toBeNull();
});

test('versions share a key, and only the last of them is on the page', () => {
  expect(['x', 'a1', 'a3'].map((runId) => keyOf(answers, runId))).toEqual(['x', 'a1', 'a1']);
  const turns = ['x', 'a2', 'y', 'a3'].map((runId) => ({ runId }));
  expect(lastVersions(answers, turns).map(({ runId }) => runId)).toEqual(['x', 'y', 'a3']);
});
