import { randomUUID } from 'node:crypto';
import { Client } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** What a program sees that was written for LangGraph Platform: the status and the words in the errors of the SDK. */

let server: ConversationGateway;
let client: Client;
let threadId: string;
let busyId: string;
let assistantId: string;
const unknown = randomUUID();

beforeAll(async () => {
  server = await startConversation();
  const apiUrl = `${server.gateway.url}/api/langgraph`;
  client = new Client({ apiUrl, apiKey: server.ada.token, callerOptions: { maxRetries: 0 } });
  threadId = await server.ada.thread();
  busyId = await server.ada.thread();
  await server.ada.wait(busyId, { assistant_id: 'chat', input: says('x') });
  await server.ada.run(busyId, { assistant_id: 'chat', input: says('later'), after_seconds: 3600 });
  assistantId = (await client.assistants.create({ graphId: 'chat' })).assistant_id;
});
afterAll(() => server.close());

const input = says('x');

async function firstFrame(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const frame of stream) return frame;
  return undefined;
}

const failures: [what: string, words: string, ask: () => Promise<unknown>][] = [
  ['a thread', `HTTP 404: Thread with ID ${unknown} not found`, () => client.threads.get(unknown)],
  ['a deletion', `HTTP 404: Thread with ID ${unknown} not found`, () => client.threads.delete(unknown)],
  ['a copy', `HTTP 404: Thread with ID ${unknown} not found`, () => client.threads.copy(unknown)],
  ['a state', `HTTP 404: Thread with ID ${unknown} not found`, () => client.threads.getState(unknown)],
  [
    'a run in a thread',
    `HTTP 404: Thread or assistant not found. Thread with ID ${unknown} not found`,
    () => client.runs.create(unknown, 'chat', { input }),
  ],
  [
    'a run that is awaited in a thread',
    'HTTP 404: Thread or assistant not found.',
    () => client.runs.wait(unknown, 'chat', { input }),
  ],
  [
    'a stream of a run in a thread',
    'HTTP 404: Thread or assistant not found.',
    () => firstFrame(client.runs.stream(unknown, 'chat', { input })),
  ],
  [
    'a run of an assistant',
    'HTTP 404: No assistant found for "none". Make sure the assistant ID is for a valid assistant or a valid graph ID.',
    () => client.runs.wait(threadId, 'none', { input }),
  ],
  [
    'a run of an assistant without a thread',
    'HTTP 404: No assistant found for "none".',
    () => firstFrame(client.runs.stream(null, 'none', { input })),
  ],
  ['an assistant', `HTTP 404: Assistant not found: ${unknown}`, () => client.assistants.get(unknown)],
  [
    'a change of an assistant',
    `HTTP 404: Assistant not found: ${unknown}`,
    () => client.assistants.update(unknown, { metadata: {} }),
  ],
  [
    'a version of an assistant',
    'HTTP 404: Assistant version not found: ',
    () => client.assistants.setLatest(assistantId, 9),
  ],
  ['a graph', 'HTTP 404: Graph "none" not found', () => client.assistants.create({ graphId: 'none' })],
  ['a run', `HTTP 404: Run not found: ${unknown}`, () => client.runs.get(threadId, unknown)],
  ['a cancel', `HTTP 404: Run not found: ${unknown}`, () => client.runs.cancel(threadId, unknown)],
  ['a deletion of a run', `HTTP 404: Run not found: ${unknown}`, () => client.runs.delete(threadId, unknown)],
  [
    'a second run, which must not wait',
    'HTTP 409: Thread is already running a task. Wait for it to finish or choose a different multitask strategy.',
    () => client.runs.create(busyId, 'chat', { input, multitaskStrategy: 'reject' }),
  ],
  [
    'a change of the state of a busy thread',
    'HTTP 409: Thread is busy. Thread has a run in flight.',
    () => client.threads.updateState(busyId, { values: input }),
  ],
  [
    'a new thread of an id that is taken',
    'HTTP 409: Thread already exists',
    () => client.threads.create({ threadId, ifExists: 'raise' }),
  ],
  [
    'a new assistant of an id that is taken',
    'HTTP 409: Assistant already exists',
    () => client.assistants.create({ graphId: 'chat', assistantId, ifExists: 'raise' }),
  ],
];

describe('the words of LangGraph Platform', () => {
  it.each(failures)('say why it fails: %s', async (_, words, ask) => {
    const error = await ask().then(
      () => new Error('nothing has failed'),
      (reason: Error) => reason,
    );
    expect(readable(error.message)).toContain(words);
  });

  it('stand at its mount alone', async () => {
    expect((await server.ada.get(`/threads/${unknown}`)).body).toEqual({
      detail: `Thread ${unknown} not found`,
    });
  });
});

/** The SDK shows the body as it came: a JSON object with the text in `detail`. */
function readable(message: string): string {
  const [, status = '', body = ''] = /^(HTTP \d+: )(\{.*\})$/s.exec(message) ?? [];
  return body === '' ? message : status + (JSON.parse(body) as { detail: string }).detail;
}
