import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newDeferred } from '../src/lib/async/deferred.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
/** What the model answers when it has to summarise. */
let summary: FakeReply;
let reply: FakeReply | null;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  const models = readModels({ only: { base_url: provider.url, api_key: 'sk-x', model: 'm' } });
  server = await startConversation({ models, title: { enabled: false } });
  ada = server.ada;
});
beforeEach(() => {
  provider.requests.length = 0;
  summary = { text: 'They counted.' };
  reply = null;
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

const isSummary = ({ messages }: FakeRequest) => textOf(messages[0]?.content).startsWith('Summarise this');
function answer(request: FakeRequest): FakeReply {
  if (isSummary(request)) return summary;
  return reply ?? { text: `Answer to ${textOf(request.messages.at(-1)?.content)}` };
}
function textOf(content: unknown): string {
  return Array.isArray(content) ? content.map(({ text }) => text).join('') : String(content);
}

const asks = (text: string) => ({ assistant_id: 'lead_agent', input: says(text) });
const compact = (threadId: string, body: object = {}, by = ada) =>
  by.post(`/threads/${threadId}/compact`, { force: true, ...body });
const stateOf = async (threadId: string) => ada.ok('GET', `/threads/${threadId}/state`);
const messagesOf = async (threadId: string): Promise<string[]> =>
  (await stateOf(threadId)).values.messages.map(({ content }: { content: unknown }) => textOf(content));

async function talk(...questions: string[]): Promise<string> {
  const threadId = await ada.thread();
  for (const question of questions) await ada.wait(threadId, asks(question));
  return threadId;
}
const keep = { keep: { type: 'messages', value: 2 } };
const summarised = 'Here is a summary of the conversation to date:\n\nThey counted.';

describe('compaction on request', () => {
  it('puts a summary in the place of older messages, and everything stays on display', async () => {
    const thread = await talk('one', 'two', 'three');
    const { status, body } = await compact(thread, keep);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        thread_id: thread,
        compacted: true,
        reason: null,
        removed_message_count: 4,
        preserved_message_count: 2,
        summary_updated: true,
        checkpoint_id: (await stateOf(thread)).checkpoint.checkpoint_id,
        total_tokens: expect.any(Number),
      },
    });
    const compacted = await stateOf(thread);
    expect(await messagesOf(thread)).toEqual([summarised, 'three', 'Answer to three']);
    expect(compacted.values.messages[0]).toMatchObject({
      type: 'human',
      name: 'summary',
      additional_kwargs: { hide_from_ui: true },
    });
    expect(compacted.next).toEqual([]);
    expect((await ada.ok('GET', `/threads/${thread}`)).status).toBe('idle');
    const { data } = await ada.ok('GET', `/threads/${thread}/messages/page`);
    expect(data).toHaveLength(6);
    const [asked] = provider.requests.filter(isSummary);
    expect(asked?.messages[0].content).toContain('Answer to two');
    expect(asked?.messages[0].content).not.toContain('Answer to three');
  });

  it('is what the next run begins with', async () => {
    const thread = await talk('one', 'two');
    await compact(thread, keep);
    const { messages } = await ada.wait(thread, asks('three'));
    expect(messages.map(({ content }: { content: unknown }) => textOf(content))).toEqual([
      summarised,
      'two',
      'Answer to two',
      'three',
      'Answer to three',
    ]);
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).not.toContain('Answer to one');
  });

  it('leaves a conversation as it is that has nothing older than the part to keep', async () => {
    const thread = await talk('one', 'two');
    const before = await stateOf(thread);
    const nothing = { compacted: false, reason: 'not_enough_messages', summary_updated: false };
    const counts = { removed_message_count: 0, preserved_message_count: 4 };
    const checkpoint_id = before.checkpoint.checkpoint_id;
    expect((await compact(thread)).body).toMatchObject({ ...nothing, ...counts, checkpoint_id });
    expect((await compact(thread, { ...keep, force: false })).body).toMatchObject(nothing);
    expect((await compact(thread, { keep: { type: 'fraction', value: 1 } })).body).toMatchObject(nothing);
    expect((await compact(thread, { keep: { type: 'tokens', value: 1000 } })).body).toMatchObject(nothing);
    expect((await stateOf(thread)).checkpoint).toEqual(before.checkpoint);
    expect((await compact(await ada.thread())).body).toMatchObject({ ...nothing, checkpoint_id: null });
    expect(provider.requests.filter(isSummary)).toEqual([]);
  });

  it('keeps as many tokens as it is told', async () => {
    const thread = await talk('one', 'two', 'three');
    const { body } = await compact(thread, { keep: { type: 'tokens', value: 8 } });
    expect(body).toMatchObject({ compacted: true, preserved_message_count: 2 });
  });

  it('is refused while a run is in flight, and while a question waits', async () => {
    const thread = await talk('one', 'two');
    reply = { text: 'I go on', hangs: true };
    const { run_id } = await ada.run(thread, asks('three'));
    const detail = 'Thread has a run in flight. Compact after the run finishes.';
    expect(await compact(thread, keep)).toMatchObject({ status: 409, body: { detail } });
    await ada.post(`/threads/${thread}/runs/${run_id}/cancel?wait=1`);
    reply = null;
    await ada.wait(thread, { ...asks('four'), interrupt_before: ['model_request'] });
    expect(await compact(thread, keep)).toMatchObject({ status: 409 });
  });

  it('gives way to a run that began while the model summarised', async () => {
    const thread = await talk('one', 'two');
    const first = newDeferred<void>();
    summary = { text: 'Late.', after: first.promise };
    const compacting = compact(thread, keep);
    await expect.poll(() => provider.requests.some(isSummary)).toBe(true);
    reply = { text: 'I go on', hangs: true };
    const { run_id } = await ada.run(thread, asks('three'));
    first.resolve();
    expect(await compacting).toMatchObject({ status: 409 });
    await ada.post(`/threads/${thread}/runs/${run_id}/cancel?wait=1`);

    reply = null;
    const second = newDeferred<void>();
    summary = { text: 'Late.', after: second.promise };
    provider.requests.length = 0;
    const again = compact(thread, keep);
    await expect.poll(() => provider.requests.some(isSummary)).toBe(true);
    await ada.wait(thread, asks('four'));
    second.resolve();
    const detail = 'The thread has changed meanwhile. Try again.';
    expect(await again).toMatchObject({ status: 409, body: { detail } });
    expect(await messagesOf(thread)).toContain('one');
  });

  it('leaves the state as it is when no model summarises', async () => {
    const thread = await talk('one', 'two');
    const detail = 'Failed to compact thread context.';
    for (const failing of [{ status: 401 }, { text: '' }]) {
      summary = failing;
      expect(await compact(thread, keep)).toMatchObject({ status: 500, body: { detail } });
    }
    expect(await messagesOf(thread)).toHaveLength(4);
  });

  it('takes the model and the agent of the caller, and refuses what it does not know', async () => {
    const thread = await talk('one', 'two');
    expect((await compact(thread, { ...keep, model_name: 'none' })).status).toBe(422);
    expect((await compact(thread, { ...keep, agent_name: 'none' })).status).toBe(404);
    expect((await compact(thread, { keep: { type: 'fraction', value: 2 } })).status).toBe(422);
    expect((await compact(thread, { keeps: 2 })).status).toBe(422);
    expect((await compact(thread, { ...keep, model_name: 'only', agent_name: null })).status).toBe(200);
  });

  it('is not for graphs of users, and of no other user', async () => {
    const own = await ada.thread();
    await ada.wait(own, { assistant_id: 'chat', input: says('x') });
    expect(await compact(own)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining("The graph 'chat' of this thread keeps its messages itself") },
    });
    const thread = await talk('one', 'two');
    expect(await compact(thread, keep, server.bob)).toMatchObject({
      status: 404,
      body: { detail: `Thread ${thread} not found` },
    });
    expect(await messagesOf(thread)).toHaveLength(4);
  });

  it('is disabled where summaries are, and while only the demo model is there', async () => {
    const demo = await startConversation();
    try {
      const thread = await demo.ada.thread();
      const detail = 'Context compaction is disabled.';
      expect(await compact(thread, {}, demo.ada)).toMatchObject({ status: 409, body: { detail } });
    } finally {
      await demo.close();
    }
  });
});
