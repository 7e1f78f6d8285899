import { expect, test } from 'vitest';
import type { ListedThread } from '../../../lib/data/threads.ts';
import { shownThreads } from './thread-order.ts';

const thread = (thread_id: string, metadata: Record<string, unknown> = {}) =>
  ({ thread_id, metadata }) as ListedThread;
const idsOf = (threads: readonly ListedThread[]) => threads.map(({ thread_id }) => thread_id);

test('pinned threads stand first, and none stands twice', () => {
  const pinned = [thread('p', { pinned: true })];
  const all = [thread('a'), ...pinned, thread('gone')];
  const shown = shownThreads(pinned, all, { isDeleted: (id) => id === 'gone', asides: false });
  expect(idsOf(shown)).toEqual(['p', 'a']);
});

test('asides stand apart from the conversations', () => {
  const all = [thread('a'), thread('beside', { deerflow_sidecar: true })];
  const isDeleted = () => false;
  expect(idsOf(shownThreads([], all, { isDeleted, asides: false }))).toEqual(['a']);
  expect(idsOf(shownThreads([], all, { isDeleted, asides: true }))).toEqual(['beside']);
});
