import { Client, type Cron } from '@langchain/langgraph-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

/** Every method of LangGraph's SDK, unmodified, each called at least once. */

let server: ConversationGateway;
let client: Client;
let threadId: string;
let runId: string;
let assistantId: string;
beforeAll(async () => {
  server = await startConversation();
  const apiUrl = `${server.gateway.url}/api/langgraph`;
  client = new Client({ apiUrl, apiKey: server.ada.token, callerOptions: { maxRetries: 0 } });
  const assistant = await client.assistants.create({ graphId: 'chat', name: 'of the tour' });
  assistantId = assistant.assistant_id;
  threadId = (await client.threads.create({ metadata: { tour: true } })).thread_id;
  runId = (await client.runs.create(threadId, 'chat', { input: says('hello') })).run_id;
  await client.runs.join(threadId, runId);
});
afterAll(() => server.close());

const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const newThread = async () => (await client.threads.create()).thread_id;
const newAssistant = async () =>
  (await client.assistants.create({ graphId: 'chat', metadata: { tour: 1 } })).assistant_id;
const newRun = async () =>
  (await client.runs.create(threadId, 'chat', { input: says('again'), afterSeconds: 600 })).run_id;

const everyNewYear = { schedule: '0 0 1 1 *', input: says('a new year'), metadata: { tour: 1 } };
const newCron = async () => ((await client.crons.create('chat', everyNewYear)) as unknown as Cron).cron_id;

async function frames(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const read: unknown[] = [];
  for await (const frame of stream) read.push(frame);
  return read;
}

/** The first frame of a stream that goes on. */
async function firstFrame(stream: AsyncIterable<unknown>): Promise<unknown> {
  for await (const frame of stream) return frame;
  return undefined;
}

async function wholeThreadStream(): Promise<unknown> {
  const id = await newThread();
  const abort = new AbortController();
  const first = firstFrame(client.threads.joinStream(id, { signal: abort.signal }));
  await client.runs.wait(id, 'chat', { input: says('to the thread') });
  const frame = await first;
  abort.abort();
  return frame;
}

async function secondProtocol(): Promise<unknown> {
  const thread = client.threads.stream(await newThread(), { assistantId: 'chat' });
  try {
    return await thread.run.start({ input: says('in the second protocol') });
  } finally {
    await thread.close();
  }
}

/** Each call resolves to something that is not undefined, unless the method gives nothing. */
const calls: Record<string, Record<string, () => Promise<unknown>>> = {
  assistants: {
    get: () => client.assistants.get(assistantId),
    getGraph: () => client.assistants.getGraph('chat', { xray: true }),
    getSchemas: () => client.assistants.getSchemas('chat'),
    getSubgraphs: () => client.assistants.getSubgraphs('nested', { recurse: true }),
    create: () => client.assistants.create({ graphId: 'chat' }),
    update: () => client.assistants.update(assistantId, { name: 'changed' }),
    delete: async () => client.assistants.delete(await newAssistant(), { deleteThreads: true }),
    search: () => client.assistants.search({ metadata: { tour: 1 }, sortBy: 'created_at' }),
    count: () => client.assistants.count({ graphId: 'chat' }),
    getVersions: () => client.assistants.getVersions(assistantId),
    setLatest: () => client.assistants.setLatest(assistantId, 1),
  },
  crons: {
    createForThread: () => client.crons.createForThread(threadId, 'chat', everyNewYear),
    create: () => client.crons.create('chat', { ...everyNewYear, timezone: 'Europe/Berlin' }),
    update: async () => client.crons.update(await newCron(), { schedule: '0 0 2 1 *', enabled: false }),
    delete: async () => client.crons.delete(await newCron()),
    search: () => client.crons.search({ assistantId: 'chat', sortBy: 'created_at', limit: 5 }),
    count: () => client.crons.count({ threadId, metadata: { tour: 1 } }),
  },
  threads: {
    get: () => client.threads.get(threadId),
    create: () => client.threads.create({ ttl: 5, ifExists: 'do_nothing' }),
    copy: () => client.threads.copy(threadId),
    update: () => client.threads.update(threadId, { metadata: { more: 1 }, ttl: 60 }),
    delete: async () => client.threads.delete(await newThread()),
    prune: async () => client.threads.prune([await newThread(), 'unknown'], { strategy: 'delete' }),
    search: () => client.threads.search({ metadata: { tour: true }, select: ['thread_id'] }),
    count: () => client.threads.count({ metadata: { tour: true } }),
    getState: () => client.threads.getState(threadId),
    updateState: () => client.threads.updateState(threadId, { values: says('by hand'), asNode: '__start__' }),
    patchState: () => client.threads.patchState(threadId, { patched: true }),
    getHistory: () => client.threads.getHistory(threadId, { limit: 2 }),
    joinStream: wholeThreadStream,
    stream: secondProtocol,
  },
  runs: {
    stream: () => frames(client.runs.stream(null, 'chat', { input: says('hi') })),
    create: () => client.runs.create(threadId, 'chat', { input: says('hi'), multitaskStrategy: 'enqueue' }),
    createBatch: () => client.runs.createBatch([{ assistantId: 'chat', input: says('hi') }]),
    wait: () => client.runs.wait(threadId, 'chat', { input: says('hi') }),
    list: () => client.runs.list(threadId),
    get: () => client.runs.get(threadId, runId),
    cancel: async () => client.runs.cancel(threadId, await newRun(), true),
    cancelMany: async () => client.runs.cancelMany({ threadId, runIds: [await newRun()] }),
    join: () => client.runs.join(threadId, runId),
    joinStream: () => frames(client.runs.joinStream(threadId, runId, { lastEventId: '-1' })),
    delete: () => client.runs.delete(threadId, runId),
  },
  store: {
    putItem: () => client.store.putItem(['tour'], 'key', { a: 1 }, { index: ['a'] }),
    getItem: () => client.store.getItem(['tour'], 'key'),
    searchItems: () => client.store.searchItems(['tour'], { filter: { a: 1 } }),
    listNamespaces: () => client.store.listNamespaces({ prefix: ['tour'] }),
    deleteItem: () => client.store.deleteItem(['tour'], 'key'),
  },
};

const nothing = new Set(['delete', 'patchState', 'cancel', 'cancelMany', 'putItem', 'deleteItem']);
const methodsOf = (part: object) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(part)).filter((name) => name !== 'constructor');

describe('every method of the SDK', () => {
  it('is called here', () => {
    for (const [part, named] of Object.entries(calls))
      expect(Object.keys(named).sort()).toEqual(methodsOf(client[part as 'runs']).sort());
  });

  const all = Object.entries(calls).flatMap(([part, named]) =>
    Object.keys(named).map((name) => [part, name]),
  );
  it.each(all)('%s.%s works', async (part, name) => {
    const answer = await calls[String(part)]?.[String(name)]?.();
    if (!nothing.has(String(name))) expect(answer).toBeDefined();
  });

  it('searchItems with a query says that the store has no index of meanings', async () => {
    await expect(client.store.searchItems(['tour'], { query: 'what I like' })).rejects.toThrow(
      /HTTP 422.*no index of meanings/s,
    );
  });
});
