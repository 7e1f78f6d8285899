import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
/** The provider's answer, set by each test. */
let answer: (request: FakeRequest) => FakeReply;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  server = await startConversation({ models: modelsOf(provider) });
  ada = server.ada;
});
beforeEach(() => {
  provider.requests.length = 0;
  answer = ({ messages }) => titleFor(messages) ?? { text: 'Once upon a', hangs: true };
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

describe('a run that is stopped in the middle of an answer', () => {
  it.each(['/api', '/api/langgraph'] as const)(
    'keeps what the model had said, at %s, and waits for nothing',
    async (mount) => {
      const caller = ada.at(mount);
      const { threadId, runId } = await speaking(caller, { words: 3 });
      await stop(caller, threadId, runId);

      const { values, next, tasks } = await caller.ok('GET', `/threads/${threadId}/state`);
      expect(values.messages).toMatchObject([
        { type: 'human', content: 'Tell me a story' },
        {
          type: 'ai',
          content: 'Once upon a',
          tool_calls: [],
          additional_kwargs: { stopped: true },
          response_metadata: { finish_reason: 'stopped' },
        },
      ]);
      expect({ next, tasks }).toEqual({ next: [], tasks: [] });
      const thread = await caller.ok('GET', `/threads/${threadId}`);
      expect(thread).toMatchObject({ status: 'idle', interrupts: {} });
    },
  );

  it('keeps it in the record under the id of the stream, and once', async () => {
    const { threadId, runId, streamed } = await speaking(ada, { words: 3 });
    await stop(ada, threadId, runId);

    const messages = await ada.ok('GET', `/threads/${threadId}/messages`);
    expect(messages.map(({ content }: Stored) => [content.type, content.content])).toEqual([
      ['human', 'Tell me a story'],
      ['ai', 'Once upon a'],
    ]);
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(messages[1]).toMatchObject({
      event_type: 'ai_message',
      content: { id: streamed },
      metadata: { finish_reason: 'stopped', caller: 'lead_agent' },
    });
    expect(values.messages[1].id).toBe(streamed);
  });

  it('goes on with the next message, which the model gets together with what it had said', async () => {
    const { threadId, runId } = await speaking(ada, { words: 3 });
    await stop(ada, threadId, runId);
    answer = ({ messages }) => titleFor(messages) ?? { text: 'The end.' };
    provider.requests.length = 0;
    const { messages } = await ada.wait(threadId, question('Be brief'));

    expect(provider.requests[0]?.messages.slice(1).map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Tell me a story'],
      ['assistant', 'Once upon a'],
      ['user', 'Be brief'],
    ]);
    expect(messages.map(({ content }: { content: string }) => content)).toEqual([
      'Tell me a story',
      'Once upon a',
      'Be brief',
      'The end.',
    ]);
  });

  it('leaves out the call of a tool that was cut off', async () => {
    const calls = [{ id: 'call_1', name: 'list_instances', args: {} }];
    answer = ({ messages }) => titleFor(messages) ?? { text: 'Let me look', calls, hangs: true };
    const { threadId, runId } = await speaking(ada, { words: 3 });
    await stop(ada, threadId, runId);

    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(values.messages[1]).toMatchObject({ content: 'Let me look', tool_calls: [] });
  });

  it('keeps it only in the record when a graph that is not an agent asked for it', async () => {
    const gate = closeGate('half-way');
    const threadId = await ada.thread();
    const { run_id: runId } = await ada.run(threadId, {
      ...question('count to 9 at gate half-way before 5'),
      assistant_id: 'chat',
      stream_mode: ['messages-tuple'],
    });
    await gate.reached;
    await stop(ada, threadId, runId);

    const messages: Stored[] = await ada.ok('GET', `/threads/${threadId}/messages`);
    expect(messages.at(-1)?.content).toMatchObject({ type: 'ai', content: '1 2 3 4' });
    expect(await ada.ok('GET', `/threads/${threadId}/state`)).toMatchObject({
      values: { messages: [{ type: 'human' }] },
      next: ['model'],
    });
  });

  it('does not keep it when the run is rolled back', async () => {
    const { threadId, runId } = await speaking(ada, { words: 3 });
    await stop(ada, threadId, runId, '&action=rollback');

    expect(await ada.ok('GET', `/threads/${threadId}/state`)).toMatchObject({ values: {}, next: [] });
    const messages = await ada.ok('GET', `/threads/${threadId}/messages`);
    expect(messages.map(({ content }: Stored) => content.type)).not.toContain('ai');
  });
});

describe('a run that is stopped', () => {
  it('in a tool gives its call a result, so that no call stands without one', async () => {
    const calls = [
      {
        id: 'call_1',
        name: 'task',
        args: { description: 'Count', prompt: 'Count', subagent_type: 'general-purpose' },
      },
      { id: 'call_2', name: 'list_instances', args: {} },
    ];
    answer = (request) => {
      if (isSubagent(request)) return { text: 'One two', hangs: true };
      return titleFor(request.messages) ?? { text: 'I ask.', calls };
    };
    const threadId = await ada.thread();
    const run = { ...question('Count'), context: { subagent_enabled: true } };
    const { run_id: runId } = await ada.run(threadId, run);
    await expect.poll(() => provider.requests.some(isSubagent)).toBe(true);
    await expect.poll(() => toolResults(threadId)).toEqual(['call_2']);
    await stop(ada, threadId, runId);

    const { values, next } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(values.messages.map(({ type }: { type: string }) => type)).toEqual([
      'human',
      'ai',
      'tool',
      'tool',
    ]);
    const results = Object.fromEntries(
      values.messages.slice(2).map(({ tool_call_id, status }: ToolResult) => [tool_call_id, status]),
    );
    expect(results).toEqual({ call_1: 'error', call_2: 'success' });
    expect(next).toEqual([]);
    expect(await toolResults(threadId)).toEqual(['call_2', 'call_1']);
  });

  it('before a word was said leaves a thread that waits for nothing, also when its title is changed', async () => {
    answer = () => ({ hangs: true });
    const threadId = await ada.thread();
    const { run_id: runId } = await ada.run(threadId, question('Tell me a story'));
    await expect.poll(() => provider.requests.length).toBe(1);
    await stop(ada, threadId, runId);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
    await ada.ok('POST', `/threads/${threadId}/state`, { values: { title: 'A story' } });
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });
});

interface Stored {
  content: { type: string; content: string; tool_call_id?: string };
}

interface ToolResult {
  tool_call_id: string;
  status: string;
}

/** Starts a run and returns when this many words of its answer have come. */
async function speaking(caller: ConversationCaller, { words }: { words: number }) {
  const threadId = await caller.thread();
  const asked = { ...question('Tell me a story'), stream_mode: ['messages-tuple'] };
  const stream = await caller.stream(threadId, asked);
  let [runId, streamed, said] = ['', '', 0];
  while (said < words) {
    const frame = await stream.next();
    if (!frame) throw new Error('The stream has ended.');
    if (frame.event === 'metadata') runId = frame.data.run_id;
    if (frame.event !== 'messages' || !frame.data[0].content) continue;
    streamed = frame.data[0].id;
    said += 1;
  }
  return { threadId, runId, streamed };
}

async function stop(caller: ConversationCaller, threadId: string, runId: string, more = ''): Promise<void> {
  const path = `/threads/${threadId}/runs/${runId}/cancel?wait=true${more}`;
  expect((await caller.call('POST', path)).status).toBe(204);
}

/** The calls whose results are in the record. */
async function toolResults(threadId: string): Promise<(string | undefined)[]> {
  const messages: Stored[] = await ada.ok('GET', `/threads/${threadId}/messages`);
  return messages.flatMap(({ content }) => (content.type === 'tool' ? [content.tool_call_id] : []));
}

function isSubagent({ messages }: FakeRequest): boolean {
  return JSON.stringify(messages[0]?.content).includes('You are a sub-agent');
}

function titleFor(messages: FakeRequest['messages']): FakeReply | undefined {
  return String(messages[0]?.content).startsWith('Write a title') ? { text: 'A title' } : undefined;
}

function modelsOf({ url }: FakeOpenAi) {
  return readModels({ fast: { base_url: url, api_key: 'sk-1', model: 'gpt-fast' } });
}

function question(text: string) {
  return { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: text }] } };
}
