import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let provider: FakeOpenAi;
let server: ConversationGateway;
let ada: ConversationCaller;
/** What the provider answers, set by each test. */
let answer: (request: FakeRequest) => FakeReply;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  const keys = { base_url: provider.url, api_key: 'sk-hunter2' };
  const models = readModels({
    fast: { ...keys, model: 'gpt-fast', display_name: 'Fast', input_price_per_million: 0.5 },
    thinker: {
      ...keys,
      model: 'deep-1',
      supports_thinking: true,
      supports_reasoning_effort: true,
      when_thinking_enabled: { modelKwargs: { thinking: { type: 'enabled' }, reasoning_effort: 'high' } },
    },
    absent: { provider: '@langchain/nowhere', model: 'x' },
  });
  server = await startConversation({ models });
  ada = server.ada;
});
beforeEach(() => {
  provider.requests.length = 0;
  answer = () => ({ text: 'Hello there.' });
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

describe('configured models', () => {
  it('are listed without keys and addresses, and the demo model is gone', async () => {
    const { text, body } = await ada.get('/models');

    expect(body.models.map(({ name }: { name: string }) => name)).toEqual(['fast', 'thinker', 'absent']);
    expect(body.models[0]).toEqual({
      name: 'fast',
      model: 'gpt-fast',
      display_name: 'Fast',
      description: null,
      supports_thinking: false,
      supports_reasoning_effort: false,
      supports_vision: false,
      input_price_per_million: 0.5,
      output_price_per_million: null,
      simulated: false,
    });
    expect(text).not.toMatch(/hunter2|127\.0\.0\.1/);
    expect((await ada.get('/models/switchyard-demo')).status).toBe(404);
  });

  it('answer over the protocol of their provider, word by word', async () => {
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, {
      ...question('Hi'),
      stream_mode: ['messages-tuple', 'values'],
    });
    const frames = await stream.rest();

    const words = frames.filter(({ event }) => event === 'messages').map(({ data }) => data[0].content);
    expect(words.filter(Boolean)).toEqual(['Hello ', 'there.']);
    expect(provider.requests[0]).toMatchObject({
      model: 'gpt-fast',
      authorization: 'Bearer sk-hunter2',
      body: { stream: true },
    });
    expect(JSON.stringify(frames)).not.toContain('hunter2');
  });

  it('call tools, whose results they get', async () => {
    answer = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Nobody is there.' }
        : { calls: [{ id: 'call_1', name: 'list_instances', args: {} }] };
    const { messages } = await ada.wait(await ada.thread(), question('Who is there?'));

    expect(messages.map(({ type }: { type: string }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages[1].tool_calls).toMatchObject([{ id: 'call_1', name: 'list_instances', args: {} }]);
    expect(messages[3].content).toBe('Nobody is there.');
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
  });

  it('are chosen by the run, and named so in its record', async () => {
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, { ...question('Hi'), context: { model_name: 'thinker' } });
    const run = await ada.ended(threadId, run_id);

    expect(provider.requests[0]?.model).toBe('deep-1');
    expect(run.model_name).toBe('thinker');
    expect(Object.keys(run.token_usage_by_model)).toContain('thinker');
  });

  it.each([{ context: { model_name: 'gpt-0' } }, { config: { configurable: { model_name: 'gpt-0' } } }])(
    'refuse a run that names another: %j',
    async (wish) => {
      const { status, text } = await ada.post(`/threads/${await ada.thread()}/runs`, {
        ...question('Hi'),
        ...wish,
      });

      expect(status).toBe(422);
      expect(text).toContain("Model 'gpt-0' is not configured; these are: fast, thinker, absent");
    },
  );

  it.each([
    [{ thinking_enabled: true }, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    [{ thinking_enabled: false }, { reasoning_effort: 'minimal' }],
  ])('think as the run says: %j', async (context, sent) => {
    await ada.wait(await ada.thread(), { ...question('Hi'), context: { model_name: 'thinker', ...context } });

    expect(provider.requests[0]?.body).toMatchObject(sent);
  });

  it('say what to install when their package is missing', async () => {
    const values = await ada.wait(await ada.thread(), {
      ...question('Hi'),
      context: { model_name: 'absent' },
    });

    expect(values.__error__.message).toMatch(/@langchain\/nowhere is missing; install it .*npm install/);
  });
});

function question(text: string) {
  return { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: text }] } };
}
