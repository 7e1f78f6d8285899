import { randomUUID } from 'node:crypto';
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** LangGraph's own class for a graph that runs elsewhere, unmodified. */

let server: ConversationGateway;
beforeAll(async () => {
  server = await startConversation();
});
afterAll(() => server.close());

const place = () => ({ url: `${server.gateway.url}/api/langgraph`, apiKey: server.ada.token });
const remote = (graphId: string): RemoteGraph => new RemoteGraph({ graphId, ...place() });

async function newThread(): Promise<{ configurable: { thread_id: string } }> {
  const { url: apiUrl, apiKey } = place();
  const threadId = randomUUID();
  await new Client({ apiUrl, apiKey }).threads.create({ threadId });
  return { configurable: { thread_id: threadId } };
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const contentsOf = ({ messages }: Record<string, unknown>): unknown[] =>
  (messages as { content: unknown }[]).map(({ content }) => content);
const answered = ['hello', 'You said: hello'];

describe('a remote graph', () => {
  it('is invoked, without a thread and in one', async () => {
    expect(contentsOf(await remote('chat').invoke(says('hello')))).toEqual(answered);
    const thread = await newThread();
    await remote('chat').invoke(says('hello'), thread);
    const state = await remote('chat').getState(thread);
    expect([contentsOf(state.values), state.next]).toEqual([answered, []]);
  });

  it('streams its nodes, its words, and the graphs inside it under their names', async () => {
    const updates = await all(await remote('nested').stream(says('hello'), { streamMode: 'updates' }));
    expect(updates.map((update) => Object.keys(update as object))).toEqual([['inner']]);
    const words = await all(await remote('chat').stream(says('hello'), { streamMode: 'messages' }));
    const pieces = words.map((piece) => (piece as unknown as [{ content: string }])[0].content);
    expect(pieces.join('')).toBe('You said: hello');
    const inside = { streamMode: 'updates', subgraphs: true } as const;
    const parts = (await all(await remote('nested').stream(says('hello'), inside))) as unknown as [
      string[],
      object,
    ][];
    expect(parts.map(([namespace, update]) => [namespace.join('|'), Object.keys(update)])).toEqual([
      [expect.stringMatching(/^inner:/), ['inner_model']],
      [expect.stringMatching(/^inner:/), ['inner_pause']],
      ['', ['inner']],
    ]);
  });

  it('has states that are read, listed and changed', async () => {
    const thread = await newThread();
    await remote('chat').invoke(says('hello'), thread);
    await remote('chat').updateState(thread, says('and more'), 'model');
    expect(contentsOf((await remote('chat').getState(thread)).values)).toEqual([...answered, 'and more']);
    const history = await all(remote('chat').getStateHistory(thread, { limit: 3 }));
    expect(history.map(({ values }) => contentsOf(values).length)).toEqual([3, 2, 1]);
  });

  it('is drawn with the graphs inside it', async () => {
    const drawn = await remote('nested').getGraphAsync({ xray: true });
    expect(Object.keys(drawn.nodes)).toContain('inner:inner_model');
    const inside = await all(remote('nested').getSubgraphsAsync(undefined, true));
    expect(inside.map(([name]) => name)).toEqual(['inner']);
  });

  it('is interrupted by a question, and goes on with the answer', async () => {
    const thread = await newThread();
    await expect(remote('approval').invoke({ log: [] }, thread)).rejects.toThrow(/"value"/);
    const after = await remote('approval').invoke(new Command({ resume: 'yes' }), thread);
    expect(JSON.stringify(after)).toContain('yes');
  });

  it('is a node of a graph elsewhere', async () => {
    const outer = new StateGraph(MessagesAnnotation)
      .addNode('remote', remote('chat'))
      .addEdge('__start__', 'remote')
      .compile({ checkpointer: new MemorySaver() });
    const ended = await outer.invoke(says('hello') as never, { configurable: { thread_id: '1' } });
    expect(contentsOf(ended)).toEqual(answered);
  });
});
