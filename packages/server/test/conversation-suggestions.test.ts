import { type FakeOpenAi, type FakeReply, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import { readModels } from '@switchyard/server/config/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

const user = (content: string) => ({ role: 'user', content });

describe('suggestions of a configured model', () => {
  let server: ConversationGateway;
  let provider: FakeOpenAi;
  let reply: FakeReply;
  let ada: ConversationCaller;
  let thread: string;

  beforeAll(async () => {
    provider = await startFakeOpenAi(() => reply);
    const keys = { base_url: provider.url, api_key: 'sk-test' };
    const models = readModels({ main: { ...keys, model: 'big-1' }, small: { ...keys, model: 'small-1' } });
    server = await startConversation({ models });
    ({ ada } = server);
    thread = await ada.thread();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });

  const suggest = (body: object) => ada.post(`/threads/${thread}/suggestions`, body);
  const messages = [user('How tall is it?'), { role: 'assistant', content: '300 m.' }];

  it('are limited to the number in their settings', async () => {
    const { enabled, max_suggestions: most } = await ada.ok('GET', '/suggestions/config');
    expect(enabled).toBe(true);
    reply = { text: JSON.stringify(['1?', '2?', '3?', '4?', '5?', '6?', '7?']) };
    expect((await suggest({ messages, n: most })).body.suggestions).toHaveLength(most);
    expect((await suggest({ messages, n: most + 1 })).status).toBe(422);
  });

  it('are read from its answer, and are not marked as simulated', async () => {
    reply = { text: '<think>hm</think>```json\n["How old is it?", "Who built it?", "Why?", "More?"]\n```' };
    expect(await suggest({ messages, n: 2 })).toMatchObject({
      status: 200,
      body: { suggestions: ['How old is it?', 'Who built it?'], simulated: false },
    });
    const { model, messages: sent } = provider.requests.at(-1) ?? {};
    expect(model).toBe('big-1');
    expect(JSON.stringify(sent)).toContain('User: How tall is it?\\nAssistant: 300 m.');
    await suggest({ messages, model_name: 'small' });
    expect(provider.requests.at(-1)?.model).toBe('small-1');
  });

  it.each<[what: string, reply: FakeReply, body: object]>([
    ['the provider fails', { status: 500 }, {}],
    ['its answer is no list', { text: 'I would rather not.' }, {}],
    ['the model is not configured', { text: '["a"]' }, { model_name: 'other' }],
  ])('are an empty list, and no error, when %s', async (_what, given, body) => {
    reply = given;
    expect(await suggest({ messages, ...body })).toMatchObject({ status: 200, body: { suggestions: [] } });
  });

  it('need no call of a model without a conversation', async () => {
    const before = provider.requests.length;
    expect((await suggest({ messages: [] })).body.suggestions).toEqual([]);
    expect(provider.requests).toHaveLength(before);
  });
});

describe('suggestions of the demo model', () => {
  let server: ConversationGateway;
  let ada: ConversationCaller;
  let thread: string;

  beforeAll(async () => {
    server = await startConversation();
    ({ ada } = server);
    thread = await ada.thread();
  });
  afterAll(() => server.close());

  const suggest = (body: object, caller = ada) => caller.post(`/threads/${thread}/suggestions`, body);

  it('are what it understands next, and are marked as simulated', async () => {
    const messages = [user('What can you do?'), { role: 'assistant', content: 'Who are you?' }];
    expect(await suggest({ messages, n: 2 })).toMatchObject({
      status: 200,
      body: { suggestions: ['List instances', 'Invert a picture'], simulated: true },
    });
    expect((await suggest({ messages })).body.suggestions).toHaveLength(3);
  });

  it.each([
    ['no messages', { messages: [] }],
    ['empty messages', { messages: [user(' ')] }],
    ['a model that is not there', { messages: [user('hi')], model_name: 'gpt-0' }],
  ])('are an empty list for %s', async (_what, body) => {
    expect(await suggest(body)).toMatchObject({ status: 200, body: { suggestions: [] } });
  });

  it('are refused for malformed requests, and in the thread of another user', async () => {
    for (const body of [{}, { messages: [user('hi')], n: 0 }, { messages: [user('hi')], n: 6 }])
      expect((await suggest(body)).status).toBe(422);
    expect((await suggest({ messages: [user('hi')] }, server.bob)).status).toBe(404);
  });

  it('come without a polished draft, because no model can write one', async () => {
    expect(await server.ada.post('/input-polish', { text: 'files pls' })).toMatchObject({
      status: 404,
      body: { detail: 'No model is configured that could polish the text.' },
    });
  });
});
