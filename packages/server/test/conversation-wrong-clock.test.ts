import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;

beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterEach(() => {
  vi.useRealTimers();
});
afterAll(() => server?.close());

const hourMs = 3_600_000;

/**
 * Sets what LangGraph takes for the time, by which it makes the ids of checkpoints. The gateway keeps the true time, as a replica
 * does that asks its database.
 */
const jump = (byMs: number): void => {
  vi.setSystemTime(Date.now() + byMs);
};

interface Entry {
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  metadata: { run_id?: string };
  values: { messages?: { id: string; content: string }[] };
}

const wait = async (threadId: string, text: string, more: object = {}) => {
  const { messages } = await ada.wait(threadId, { assistant_id: 'chat', input: says(text), ...more });
  return messages as { id: string; content: string }[];
};
const textsOf = (messages: readonly { content: unknown }[] = []) =>
  messages.map(({ content }) => textOf(content));
const textOf = (content: unknown): string =>
  Array.isArray(content) ? content.map(({ text }: { text: string }) => text).join('') : String(content);

/** The history as one list, and the same in pieces. */
async function historyOf(caller: ConversationCaller, threadId: string): Promise<Entry[]> {
  const path = `/threads/${threadId}/history`;
  const whole: Entry[] = await caller.ok('POST', path, { limit: 100 });
  const pieces: Entry[] = [];
  for (let before: string | undefined; ; before = pieces.at(-1)?.checkpoint_id) {
    const piece: Entry[] = await caller.ok('POST', path, {
      limit: 2,
      ...(before !== undefined && { before }),
    });
    pieces.push(...piece);
    if (piece.length < 2) break;
  }
  expect(pieces.map(({ checkpoint_id }) => checkpoint_id)).toEqual(
    whole.map(({ checkpoint_id }) => checkpoint_id),
  );
  return whole;
}

describe.each([
  { title: 'that was three days ahead for one turn', secondMs: 72 * hourMs, laterMs: 0 },
  { title: 'that is two hours behind since the second turn', secondMs: 0, laterMs: -2 * hourMs },
])('with a clock $title, a thread', ({ secondMs, laterMs }) => {
  const twoTurns = async (): Promise<{ threadId: string; answer: string }> => {
    const threadId = await ada.thread();
    await wait(threadId, 'one');
    jump(secondMs);
    const messages = await wait(threadId, 'two');
    vi.useRealTimers();
    jump(laterMs);
    return { threadId, answer: messages.at(-1)?.id ?? '' };
  };

  it('makes its last answer again, and goes on from the new one', async () => {
    const { threadId, answer } = await twoTurns();
    const again = async (messageId: string, text: string) => {
      const { checkpoint, metadata } = await ada.ok('POST', `/threads/${threadId}/runs/regenerate/prepare`, {
        message_id: messageId,
      });
      return wait(threadId, text, { checkpoint, metadata });
    };
    const second = await again(answer, 'two again');
    expect(textsOf(second)).toEqual(['one', 'You said: one', 'two again', 'You said: two again']);
    const state = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(textsOf(state.values.messages)).toEqual(textsOf(second));
    const third = await again(second.at(-1)?.id ?? '', 'two once more');
    const line = ['one', 'You said: one', 'two once more', 'You said: two once more'];
    expect(textsOf(third)).toEqual(line);
    expect(textsOf(await wait(threadId, 'three'))).toEqual([...line, 'three', 'You said: three']);
  });

  it('lists its states as its runs came, the newest first, at both mounts and in pieces', async () => {
    const { threadId } = await twoTurns();
    await wait(threadId, 'three');
    const history = await historyOf(ada.at('/api/langgraph'), threadId);
    expect(history.map(({ checkpoint_id }) => checkpoint_id)).toEqual(
      (await historyOf(ada, threadId)).map(({ checkpoint_id }) => checkpoint_id),
    );
    expect(textsOf(history[0]?.values.messages)).toHaveLength(6);
    for (const [at, { parent_checkpoint_id }] of history.entries())
      expect(history[at + 1]?.checkpoint_id ?? null).toBe(parent_checkpoint_id);
  });

  it('has branches that end with the chosen turn and go on from there', async () => {
    const { threadId } = await twoTurns();
    const [, answer] = (await ada.ok('GET', `/threads/${threadId}/state`)).values.messages;
    const { thread_id: branch } = await ada.ok('POST', `/threads/${threadId}/branches`, {
      message_id: answer.id,
    });
    const state = await ada.ok('GET', `/threads/${branch}/state`);
    expect(textsOf(state.values.messages)).toEqual(['one', 'You said: one']);
    expect(textsOf(await wait(branch, 'four'))).toEqual(['one', 'You said: one', 'four', 'You said: four']);
  });
});
