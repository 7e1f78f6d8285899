import type { ThreadMessage } from '@switchyard/contract/conversation/run-events';
import { expect, test } from 'vitest';
import { copiedMessages, knowsWhatWasCopied } from './copied-messages.ts';

const messages = [
  { type: 'human', id: 'h1', content: 'One?' },
  { type: 'ai', id: 'a1', content: 'One.' },
  { type: 'human', id: 'h2', content: 'Two?' },
];
const savedAt = '2026-01-01T00:00:10Z';
const state = { values: { messages }, created_at: savedAt };
const stored = (id: string, created_at = '2026-01-01T00:00:05Z') =>
  ({ content: { type: 'human', id }, created_at }) as ThreadMessage;

test('a branch begins with what was said before, turn by turn', () => {
  expect(copiedMessages(state, []).map(({ run_id }) => run_id)).toEqual(['copied 1', 'copied 1', 'copied 2']);
});

test('what a run of this thread has said is not shown a second time', () => {
  expect(copiedMessages(state, [stored('h2')])).toHaveLength(2);
  expect(copiedMessages(state, [stored('h1')])).toEqual([]);
  expect(copiedMessages({ values: {}, created_at: null }, [])).toEqual([]);
});

test('what was copied is certain once the state has a message of the thread itself', () => {
  expect(knowsWhatWasCopied(state, [stored('h2')])).toBe(true);
  expect(knowsWhatWasCopied(state, [stored('h3')])).toBe(false);
  expect(knowsWhatWasCopied(state, [])).toBe(false);
});

test('a state that was read before the first message of the branch still shows what was copied', () => {
  expect(copiedMessages(state, [stored('h3', '2026-01-01T00:00:11Z')])).toHaveLength(3);
});

test('the summary of a long conversation is not shown as something that was said', () => {
  expect(copiedMessages(state, [stored('long ago')])).toEqual([]);
});
