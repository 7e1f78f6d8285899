import { Client, type ThreadStream } from '@langchain/langgraph-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** The official client of protocol v2, unmodified. */

let server: ConversationGateway;
let client: Client;
beforeAll(async () => {
  server = await startConversation();
  client = new Client({
    apiUrl: `${server.gateway.url}/api/langgraph`,
    apiKey: server.ada.token,
    callerOptions: { maxRetries: 0 },
  });
});
afterAll(() => server.close());

const open: ThreadStream[] = [];
afterEach(async () => {
  for (const thread of open.splice(0)) await thread.close();
});

function threadOf(assistantId: string, threadId?: string): ThreadStream {
  const options = { assistantId };
  const thread =
    threadId === undefined ? client.threads.stream(options) : client.threads.stream(threadId, options);
  open.push(thread);
  return thread;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

describe('a thread of the SDK', () => {
  it('starts a run in a thread that it names, and gives its output', async () => {
    const thread = threadOf('chat');
    const { run_id: runId } = await thread.run.start({ input: says('hello') });
    expect(runId).toEqual(expect.any(String));
    const output = (await thread.output) as { messages: { text: string }[] };
    expect(output.messages.map(({ text }) => text)).toEqual(['hello', 'You said: hello']);
  });

  it('streams messages word by word', async () => {
    const thread = threadOf('chat');
    const messages = thread.messages;
    await thread.run.start({ input: says('hello') });
    const texts: string[][] = [];
    for await (const message of messages) texts.push(await all(message.text));
    expect(texts).toEqual([['You', ' said:', ' hello']]);
  });

  it('is subscribed to before it exists', async () => {
    const thread = threadOf('chat');
    const values = await thread.subscribe({ channels: ['values'] });
    await thread.run.start({ input: says('hello') });
    const [first] = await all(values);
    expect(first).toMatchObject({ method: 'values', params: { data: { messages: [{ content: 'hello' }] } } });
  });

  it('gives what the stream transformers of its graph say', async () => {
    const thread = threadOf('counted') as ThreadStream<{ words: string; states: number }>;
    const { words, states } = thread.extensions;
    await thread.run.start({ input: says('hello') });
    expect(await all(words)).toEqual(['You', 'said:', 'hello']);
    expect(await states).toBe(2);
    const later = threadOf('counted', thread.threadId) as ThreadStream<{ words: string; states: number }>;
    expect(await later.extensions.states).toBe(2);
  });

  it('gives calls of tools with their output', async () => {
    const thread = threadOf('chat');
    const calls = thread.toolCalls;
    await thread.run.start({ input: says('look up cats') });
    const made = [];
    for await (const call of calls)
      made.push({ name: call.name, input: call.input, output: await call.output });
    expect(made[0]).toEqual({ name: 'look_up', input: { topic: 'cats' }, output: 'all about cats' });
  });

  it('stops for a question and goes on with the answer on the same stream', async () => {
    const thread = threadOf('approval');
    await thread.run.start({ input: { log: [] } });
    await thread.output;
    expect(thread.interrupted).toBe(true);
    const [question] = thread.interrupts;
    expect(question).toMatchObject({ interruptId: expect.any(String) });
    await thread.input.respond({
      namespace: question?.namespace ?? [],
      interrupt_id: question?.interruptId ?? '',
      response: 'yes',
    });
    await expect.poll(async () => (await client.threads.get(thread.threadId)).status).toBe('idle');
    expect(thread.interrupted).toBe(false);
  });
});
