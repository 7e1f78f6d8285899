import type { ThreadState } from '@switchyard/contract/conversation/thread';
import { expect, test } from 'vitest';
import { historyText } from './history-text.ts';

function entryOf(values: Record<string, unknown>): ThreadState {
  return {
    values,
    next: ['a"b'],
    tasks: [],
    metadata: { step: 1 },
    created_at: null,
    checkpoint: null,
    parent_checkpoint: null,
    checkpoint_id: 'c',
    parent_checkpoint_id: null,
  };
}

async function* each(entries: ThreadState[]): AsyncGenerator<ThreadState> {
  yield* entries;
}

const all = { maxCharacters: Number.POSITIVE_INFINITY, betweenPieces: async () => undefined };

test('a history is the JSON of its entries', async () => {
  const strange = JSON.parse(
    '{"__proto__":[1],"a\\"b":[null,"x",{"deep":[{}]},[2]],"empty":[],"text":"\\u2028"}',
  );
  const entries = [entryOf({ messages: [{ content: 'ä' }], title: 'One' }), entryOf({}), entryOf(strange)];
  expect(JSON.parse(await historyText(each(entries), all))).toEqual(entries);
  expect(await historyText(each([]), all)).toBe('[]');
});

test('a message that many states contain is serialised once', async () => {
  const written: string[] = [];
  const messages = Array.from({ length: 60 }, (_, at) => ({
    toJSON: () => {
      written.push(`m${at}`);
      return { content: `m${at}` };
    },
  }));
  const entries = messages.map((_, at) => entryOf({ messages: messages.slice(0, at + 1) }));
  const text = await historyText(each(entries), all);
  expect(written).toHaveLength(messages.length);
  expect(JSON.parse(text).at(-1).values.messages).toHaveLength(messages.length);
});

test('other requests are served after every twenty entries', async () => {
  let pauses = 0;
  const betweenPieces = async () => {
    pauses += 1;
  };
  const entries = Array.from({ length: 110 }, () => entryOf({}));
  await historyText(each(entries), { ...all, betweenPieces });
  expect(pauses).toBe(5);
});

test('a history ends after the entry with which it exceeds its length', async () => {
  const entries = Array.from({ length: 10 }, () => entryOf({ text: 'x'.repeat(1_000) }));
  const text = await historyText(each(entries), { ...all, maxCharacters: 3_000 });
  expect(JSON.parse(text)).toEqual(entries.slice(0, 3));
});
