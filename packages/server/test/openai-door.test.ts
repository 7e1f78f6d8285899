import { openaiChatCompletion, openaiError, openaiResponse } from '@switchyard/contract/doors/openai';
import {
  type FakeOpenAi,
  type FakeReply,
  type FakeRequest,
  startFakeOpenAi,
} from '@switchyard/dev-env/fake-openai';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { readModels } from '@switchyard/server/config/models';
import OpenAI from 'openai';
import sharp from 'sharp';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { ConversationCaller } from './support/conversation-caller.ts';
import { fixtureAgents } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow } from './support/dispatch-pool.ts';

const origin = 'https://chat.example.com';

let provider: FakeOpenAi;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let gateway: DevGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
let openai: OpenAI;
let answer: (request: FakeRequest) => FakeReply;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  const keys = { base_url: provider.url, api_key: 'sk-hunter2' };
  const models = readModels({
    fast: { ...keys, model: 'gpt-fast' },
    'eyes/one': { ...keys, model: 'gpt-eyes', supports_vision: true },
  });
  gateway = await startGateway({
    config: {
      database: { backend: 'sqlite' },
      agents: fixtureAgents,
      models,
      server: { cors: { origins: [origin] } },
    },
  });
  worker = await startReferenceWorker();
  const admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  const pool = ['dispatch:read', 'dispatch:write'];
  ada = await ConversationCaller.of(gateway.url, await gateway.register('ada@example.com'), pool);
  bob = await ConversationCaller.of(gateway.url, await gateway.register('bob@example.com'), pool);
  openai = clientOf(ada.token);
});
beforeEach(() => {
  provider.requests.length = 0;
  answer = () => ({ text: 'Hello there.' });
});
afterAll(async () => {
  await gateway?.stop();
  await worker?.close();
  await provider?.close();
});

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
const says = (content: string) => [{ role: 'user' as const, content }];

/** What the library throws, as the client sees it. */
async function refusalOf(call: PromiseLike<unknown>): Promise<Record<string, unknown>> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof OpenAI.APIError)) throw error;
    const { status, code, param, type, message } = error;
    return { status, code, param, type, message };
  }
  throw new Error('The call was not refused.');
}

async function rawCall(path: string, init: RequestInit = {}, token = ada.token) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers };
  const said = await fetch(`${gateway.url}/v1${path}`, { ...init, headers });
  const text = await said.text();
  return { status: said.status, headers: said.headers, text, body: text === '' ? null : JSON.parse(text) };
}

const post = (path: string, body: unknown, token?: string) =>
  rawCall(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }, token);

async function tokenOf(email: string, scopes: string[]): Promise<string> {
  const session = await gateway.register(email);
  return (await session.post<{ token: string }>('/api/v1/auth/tokens', { name: 'x', scopes })).token;
}

/** The library does not know the field for reasoning, and hands it on. */
function saidIn({ choices }: OpenAI.ChatCompletion) {
  const message = choices[0]?.message as
    | (OpenAI.ChatCompletionMessage & { reasoning_content?: string })
    | undefined;
  return { ...message, content: message?.content ?? '' };
}

async function threadsOf(caller: ConversationCaller): Promise<{ thread_id: string }[]> {
  return caller.ok('POST', '/threads/search', { limit: 100 });
}

async function usageOf(
  caller: ConversationCaller,
  agent: string,
): Promise<Record<string, number> | undefined> {
  const { by_agent: agents } = await caller.ok('GET', '/console/usage?days=1');
  return agents.find((each: { agent: string }) => each.agent === agent);
}

describe('models', () => {
  it('are the agents, the configured models and the exposed workflows that the token may call', async () => {
    await ada.ok('POST', '/workflows', { name: 'listed one', workflow: anyWorkflow, exposed: true });
    await ada.ok('POST', '/workflows', { name: 'hidden', workflow: anyWorkflow });
    const ids = (await openai.models.list()).data.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining(['lead_agent', 'chat', 'model/fast', 'model/eyes/one', 'workflow/listed one']),
    );
    expect(ids).not.toContain('workflow/hidden');
    const poolOnly = clientOf(await tokenOf('pool@example.com', ['dispatch:write']));
    expect((await poolOnly.models.list()).data).toEqual([]);
  });

  it('are found by their names, with the slash escaped or not, and not by others', async () => {
    expect(await openai.models.retrieve('model/eyes/one')).toMatchObject({
      id: 'model/eyes/one',
      object: 'model',
    });
    expect((await rawCall('/models/model/eyes/one')).body).toMatchObject({ kind: 'model' });
    const unknown = { status: 404, code: 'model_not_found', param: 'model' };
    expect(await refusalOf(openai.models.retrieve('gpt-4'))).toMatchObject(unknown);
    const chat = openai.chat.completions.create({ model: 'gpt-4', messages: says('Hi') });
    expect(await refusalOf(chat)).toMatchObject(unknown);
  });
});

describe('a chat with an agent', () => {
  it('is a stateless run: the messages are the whole history, one call of the model, and only the usage stays', async () => {
    const before = await threadsOf(ada);
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      ...says('One'),
      { role: 'assistant' as const, content: 'Two' },
      ...says('Three'),
    ];
    const done = await openai.chat.completions.create({ model: 'lead_agent', messages });
    expect(Value.Check(openaiChatCompletion, done)).toBe(true);
    expect(done.choices[0]).toMatchObject({ message: { content: 'Hello there.' }, finish_reason: 'stop' });
    expect(done.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(provider.requests).toHaveLength(1);
    const sent = provider.requests[0]?.messages.map(({ role, content }) => [role, content]);
    expect(sent?.slice(-4)).toEqual([
      ['system', 'Be brief.'],
      ['user', 'One'],
      ['assistant', 'Two'],
      ['user', 'Three'],
    ]);
    await expect.poll(() => threadsOf(ada)).toEqual(before);
    expect(await usageOf(ada, 'lead_agent')).toMatchObject({ runs: 1 });
  });

  it('streams each word when it is said, and the usage at the end where it is asked for', async () => {
    const gate = closeGate('openai');
    const stream = await openai.chat.completions.create({
      model: 'chat',
      messages: says('count to 3 at gate openai before 2'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const seen: unknown[] = [];
    for await (const { choices, usage } of stream) {
      seen.push(choices[0] ? (choices[0].delta.content ?? choices[0].finish_reason) : usage?.total_tokens);
      if (seen.length === 2) gate.open();
    }
    expect(seen).toEqual(['', '1', ' 2', ' 3', 'stop', expect.any(Number)]);
  });

  it('hides the tools that the agent uses where the operator wants it', async () => {
    const silent = await startGateway({
      config: { agents: fixtureAgents, doors: { openai: { show_tools: false } } },
    });
    const { token } = await ConversationCaller.of(silent.url, await silent.register('ada@example.com'));
    const asked = (stream: boolean) =>
      fetch(`${silent.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'chat', messages: says('look up cats'), stream }),
      }).then((answer) => answer.text());
    for (const text of [await asked(false), await asked(true)]) {
      expect(text).toContain('Found:');
      expect(text).not.toMatch(/reasoning|look_up/);
    }
    await silent.stop();
  });

  it('shows the tools that the agent uses as reasoning', async () => {
    const done = await openai.chat.completions.create({ model: 'chat', messages: says('look up cats') });
    const message = saidIn(done);
    expect(message.reasoning_content).toBe('look_up: all about cats\n');
    expect(message.content).not.toContain('look_up');
    expect(message.tool_calls).toBeUndefined();
  });

  it('shows pictures that the agent has made, with links that open without credentials', async () => {
    answer = ({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { text: 'Here it is.' }
        : { calls: [{ id: 'call_1', name: 'run_workflow', args: { workflow: anyWorkflow } }] };
    const done = await openai.chat.completions.create({ model: 'lead_agent', messages: says('Paint') });
    const { content: text, reasoning_content: thoughts } = saidIn(done);
    expect(thoughts).toMatch(/^\nUses run_workflow\.\nrun_workflow: \{"task_id":/);
    const [, url = ''] = /^Here it is\.\n\n!\[[^\]]+\]\((http[^)]+)\)$/.exec(text) ?? [];
    expect((await fetch(url)).headers.get('content-type'), text).toBe('image/png');
  });

  it('continues a thread of the caller, and only the new message goes there', async () => {
    const thread_id = await ada.thread();
    const metadata = { thread_id };
    await openai.chat.completions.create({ model: 'chat', messages: says('first'), metadata });
    const messages = [...says('first'), { role: 'assistant' as const, content: 'x' }, ...says('second')];
    const done = await openai.chat.completions.create({ model: 'chat', messages, metadata });
    expect(done.choices[0]?.message.content).toBe('You said: second');
    const { values } = await ada.ok('GET', `/threads/${thread_id}/state`);
    expect(values.messages.map(({ content }: { content: string }) => content)).toEqual([
      'first',
      'You said: first',
      'second',
      'You said: second',
    ]);
    for (const wrong of [{ thread_id: await bob.thread() }, { thread_id: 'nowhere' }])
      expect(
        await refusalOf(openai.chat.completions.create({ model: 'chat', messages, metadata: wrong })),
      ).toMatchObject({ status: 404, code: 'thread_not_found' });
  });

  it('says what the agent asks, and takes the next message of the thread as the answer', async () => {
    const metadata = { thread_id: await ada.thread() };
    const ask = (content: string) =>
      openai.chat.completions.create({ model: 'asking', messages: says(content), metadata });
    expect((await ask('Paint')).choices[0]).toMatchObject({
      message: { content: 'Which colour?' },
      finish_reason: 'stop',
    });
    expect((await ask('Red')).choices[0]?.message.content).toBe('Painted Red.');
    const alone = await openai.chat.completions.create({ model: 'asking', messages: says('Paint') });
    expect(alone.choices[0]?.message.content).toMatch(/^Which colour\?\n\n.*metadata\.thread_id/);
  });

  it('is cancelled when the client hangs up, and leaves no thread', async () => {
    const before = await threadsOf(ada);
    const gate = closeGate('hung up');
    const stream = await openai.chat.completions.create({
      model: 'chat',
      messages: says('count to 3 at gate hung up before 2'),
      stream: true,
    });
    for await (const { choices } of stream) if (choices[0]?.delta.content === '1') break;
    await expect.poll(() => threadsOf(ada)).toEqual(before);
    gate.open();
  });

  it('fails in the shape of OpenAI, also within a stream, and asks for no second try', async () => {
    const create = { model: 'failing', messages: says('Hi') };
    const { status, headers, body } = await post('/chat/completions', create);
    expect({ status, retry: headers.get('x-should-retry'), body }).toMatchObject({
      status: 500,
      retry: 'false',
      body: { error: { type: 'server_error', code: 'run_failed', message: expect.stringContaining('Boo!') } },
    });
    const read = async () => {
      for await (const _ of await openai.chat.completions.create({ ...create, stream: true }));
    };
    expect(await refusalOf(read())).toMatchObject({ code: 'run_failed' });
  });
});

describe('a chat with a plain model', () => {
  const tools = [
    { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } },
  ];

  it('passes tools and options on, streams the calls back, and counts in the usage', async () => {
    answer = () => ({ calls: [{ id: 'call_7', name: 'weather', args: { city: 'Oslo' } }] });
    const asked = {
      model: 'model/fast',
      messages: says('Weather?'),
      tools,
      temperature: 0.5,
      seed: 3,
      stop: ['END'],
      max_tokens: 9,
    };
    const done = await openai.chat.completions.create(asked);
    const call = {
      id: 'call_7',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Oslo"}' },
    };
    expect(done.choices[0]).toMatchObject({
      message: { content: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    });
    expect(provider.requests[0]).toMatchObject({
      tools: ['weather'],
      messages: [{ role: 'user', content: 'Weather?' }],
      body: { model: 'gpt-fast', temperature: 0.5, seed: 3, stop: ['END'] },
    });
    const whole = await openai.chat.completions.stream({ ...asked }).finalChatCompletion();
    expect(whole.choices[0]?.message.tool_calls).toMatchObject([call]);
    answer = () => ({ text: 'Rain.' });
    const messages = [
      ...says('Weather?'),
      { role: 'assistant' as const, tool_calls: [call as never] },
      { role: 'tool' as const, tool_call_id: 'call_7', content: 'rain' },
    ];
    expect((await openai.chat.completions.create({ ...asked, messages })).choices[0]?.message.content).toBe(
      'Rain.',
    );
    expect(provider.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_7' });
    expect(await usageOf(ada, 'model/fast')).toMatchObject({ runs: 3 });
  });

  it('takes pictures where the model does, and fetches none from inside', async () => {
    const ask = (model: string, url: string) =>
      openai.chat.completions.create({
        model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What?' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      });
    const data = 'data:image/png;base64,iVBORw0KGgo=';
    await ask('model/eyes/one', data);
    expect(provider.requests[0]?.messages[0].content[1]).toMatchObject({ image_url: { url: data } });
    expect(await refusalOf(ask('model/fast', data))).toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
    });
    for (const url of [
      'https://127.0.0.1/x.png',
      'https://[::1]/',
      'http://example.com/x',
      'file:///etc/passwd',
      'data:text/html;base64,aa',
    ])
      expect(await refusalOf(ask('model/eyes/one', url)), url).toMatchObject({
        status: 400,
        param: 'messages.0.content.1.image_url',
      });
  });

  it('answers what the provider refuses with a status of its own, and counts what was cut off', async () => {
    const create = () =>
      openai.chat.completions.create({ model: 'model/fast', messages: says('Hi'), stream: true });
    answer = () => ({ status: 429, headers: { 'retry-after': '7' } });
    const limited = await post('/chat/completions', {
      model: 'model/fast',
      messages: says('Hi'),
      stream: true,
    });
    expect({ status: limited.status, wait: limited.headers.get('retry-after') }).toEqual({
      status: 429,
      wait: '7',
    });
    answer = () => ({ status: 400 });
    expect(await refusalOf(create())).toMatchObject({ status: 400 });
    const { runs = 0 } = (await usageOf(ada, 'model/fast')) ?? {};
    answer = () => ({ text: 'On and on', hangs: true });
    for await (const _ of await create()) break;
    await expect.poll(async () => (await usageOf(ada, 'model/fast'))?.runs).toBe(runs + 1);
  });
});

describe('the Responses API', () => {
  it('answers in its own form, and goes on with the answer before', async () => {
    const first = await openai.responses.create({ model: 'chat', input: 'one', instructions: 'Be kind.' });
    expect(Value.Check(openaiResponse, first)).toBe(true);
    expect(first).toMatchObject({ status: 'completed', output_text: 'You said: one', store: true });
    const second = await openai.responses.create({
      model: 'chat',
      input: 'two',
      previous_response_id: first.id,
    });
    const item = second.output[0]?.id ?? '';
    const third = await openai.responses.create({
      model: 'chat',
      input: [...says('one'), { type: 'item_reference', id: item }, ...says('three')],
    });
    expect(third.output_text).toBe('You said: three');
    const found = await ada.ok('POST', '/threads/search', { limit: 1 });
    const { values } = await ada.ok('GET', `/threads/${found[0].thread_id}/state`);
    expect(values.messages.filter(({ type }: { type: string }) => type === 'human')).toHaveLength(3);
  });

  it('keeps nothing with store: false, and finds no answer of somebody else', async () => {
    const before = await threadsOf(ada);
    const gone = await openai.responses.create({ model: 'chat', input: 'one', store: false });
    await expect.poll(() => threadsOf(ada)).toEqual(before);
    const kept = await clientOf(bob.token).responses.create({ model: 'chat', input: 'one' });
    for (const id of [gone.id, kept.id, 'resp_x'])
      expect(
        await refusalOf(openai.responses.create({ model: 'chat', input: 'two', previous_response_id: id })),
      ).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  it('streams events in its grammar: text, tools as reasoning, calls of the caller', async () => {
    const types: string[] = [];
    const stream = openai.responses.stream({ model: 'chat', input: 'look up cats', store: false });
    for await (const { type } of stream) types.push(type);
    expect([...new Set(types)]).toEqual(
      expect.arrayContaining([
        'response.created',
        'response.reasoning_summary_text.delta',
        'response.output_text.delta',
        'response.completed',
      ]),
    );
    expect((await stream.finalResponse()).output.map(({ type }) => type)).toContain('reasoning');
    answer = () => ({ calls: [{ id: 'call_9', name: 'weather', args: { city: 'Oslo' } }] });
    const tools = [
      { type: 'function' as const, name: 'weather', parameters: { type: 'object' }, strict: null },
    ];
    const called = await openai.responses.stream({ model: 'model/fast', input: 'x', tools }).finalResponse();
    expect(called.output).toMatchObject([
      { type: 'function_call', call_id: 'call_9', arguments: '{"city":"Oslo"}' },
    ]);
  });

  it('refuses other options by their name', async () => {
    const refused = await post('/responses', { model: 'chat', input: 'x', background: true });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('background') } },
    });
  });
});

describe('images', () => {
  const create = (body: object) =>
    post('/images/generations', { model: 'workflow/poster', prompt: 'a kite', ...body });

  beforeAll(async () => {
    const saved = await ada.ok('POST', '/workflows', {
      name: 'poster',
      workflow: anyWorkflow,
      exposed: true,
      parameters: [
        { name: 'filename_prefix', rename: 'prompt' },
        { name: 'color', rename: 'seed' },
      ],
    });
    expect(Object.keys(saved.data.schema.properties)).toEqual([
      'width',
      'height',
      'batch_size',
      'seed',
      'prompt',
    ]);
  });

  it('are made by a saved workflow, whose parameters get prompt, size, seed and further names', async () => {
    const made = await openai.images.generate({
      model: 'workflow/poster',
      prompt: 'a kite',
      size: '32x48' as never,
      n: 2,
      response_format: 'url',
      seed: 7,
      batch_size: 2,
    } as never);
    const urls = made.data?.map(({ url = '' }) => url) ?? [];
    expect(urls, 'two tasks of two pictures').toHaveLength(4);
    const pictures = await Promise.all(
      urls.map(async (url) => Buffer.from(await (await fetch(url)).arrayBuffer())),
    );
    expect(await sharp(pictures[0]).metadata()).toMatchObject({ format: 'png', width: 32, height: 48 });
    expect(pictures[0]?.equals(pictures[3] ?? Buffer.of()), 'each has a seed of its own').toBe(false);
    const whole = await openai.images.generate({
      model: 'workflow/poster',
      prompt: 'a kite',
      response_format: 'b64_json',
    });
    const bytes = Buffer.from(whole.data?.[0]?.b64_json ?? '', 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 16 });
  });

  it.each([
    ['n', { n: 1000 }],
    ['n', { n: 0 }],
    ['size', { size: '0x5' }],
    ['hue', { hue: 3 }],
  ])('are refused with %s of %j', async (param, body) => {
    const refused = await create(body);
    expect(refused).toMatchObject({ status: 400, body: { error: { param, type: 'invalid_request_error' } } });
  });

  it('are refused by a workflow that has no such parameter, and of another user', async () => {
    expect(await create({ model: 'workflow/listed one' })).toMatchObject({
      status: 400,
      body: { error: { param: 'prompt' } },
    });
    const foreign = await post('/images/generations', { model: 'workflow/poster', prompt: 'x' }, bob.token);
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'model_not_found' } } });
  });
});

describe('what cannot be answered', () => {
  const chat = (body: object) => post('/chat/completions', { model: 'chat', messages: says('Hi'), ...body });

  it.each<[string, object]>([
    ['messages', { messages: [] }],
    ['messages.0.role', { messages: [{ role: 'wizard', content: 'x' }] }],
    ['messages.0.content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages.0.content.0.type', { messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
    ['temperature', { temperature: 9 }],
    ['n', { n: 1000 }],
    ['functions', { functions: [] }],
    ['tools', { tools: [{ type: 'function', function: { name: 'x' } }] }],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['metadata.thread_id', { metadata: { thread_id: '../x' } }],
    ['metadata.thread_id', { model: 'model/fast', metadata: { thread_id: 'x' } }],
    ['model', { model: 'workflow/poster' }],
  ])('names the field %s', async (param, body) => {
    const { status, body: said } = await chat(body);
    expect({ status, said }).toMatchObject({ status: 400, said: { error: { param } } });
    expect(Value.Check(openaiError, said)).toBe(true);
  });

  it('is refused in the same shape without a token, without a scope, too large, at an unknown address', async () => {
    const poor = await tokenOf('poor@example.com', ['conversation:read']);
    const cases = [
      [401, 'invalid_api_key', await post('/chat/completions', {}, 'sk-wrong')],
      [403, 'scope_missing', await post('/chat/completions', {}, poor)],
      [403, 'scope_missing', await post('/images/generations', {}, poor)],
      [404, 'route_not_found', await post('/embeddings', {})],
      [405, 'method_not_allowed', await rawCall('/chat/completions')],
      [400, 'invalid_value', await post('/chat/completions', '{')],
      [413, 'body_too_large', await post('/images/generations', `{"prompt":"${'x'.repeat(10_000_000)}"}`)],
      [
        400,
        'invalid_value',
        await post('/chat/completions', { model: 'chat', messages: 'x'.repeat(10_000_000) }),
      ],
    ] as const;
    for (const [status, code, said] of cases) {
      expect({ status: said.status, code: said.body.error?.code }).toEqual({ status, code });
      expect(Value.Check(openaiError, said.body)).toBe(true);
    }
  });

  it('lets pages of listed origins call, and no session cookie', async () => {
    const asked = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    };
    const preflight = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'OPTIONS',
      headers: asked,
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    const session = await gateway.register('cookie@example.com');
    await expect(session.get('/v1/models')).rejects.toThrow('401');
  });
});
