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
/** The provider's answer, set by each test. */
let answer: (request: FakeRequest) => FakeReply;

beforeAll(async () => {
  provider = await startFakeOpenAi((request) => answer(request));
  const keys = { base_url: provider.url, api_key: 'sk-hunter2' };
  const pricing = { input_per_million: 0.5, output_per_million: 1.5 };
  const models = readModels({
    fast: { ...keys, model: 'gpt-fast', display_name: 'Fast', pricing },
    thinker: {
      ...keys,
      model: 'deep-1',
      supports_thinking: true,
      supports_reasoning_effort: true,
      when_thinking_enabled: { modelKwargs: { thinking: { type: 'enabled' }, reasoning_effort: 'high' } },
    },
    shaky: { ...keys, model: 'shaky-1', fallback: 'fast' },
    absent: { provider: '@langchain/nowhere', model: 'x' },
  });
  const summarization = { trigger_messages: 12, keep_messages: 3 };
  server = await startConversation({ models, summarization });
  ada = server.ada;
});
beforeEach(() => {
  provider.requests.length = 0;
  answer = ({ messages }) => asideAnswer(messages) ?? { text: 'Hello there.' };
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
});

describe('configured models', () => {
  it('are listed without keys and addresses, and the demo model is gone', async () => {
    const { text, body } = await ada.get('/models');

    expect(body.models.map(({ name }: { name: string }) => name)).toEqual([
      'fast',
      'thinker',
      'shaky',
      'absent',
    ]);
    expect(body.models[0]).toEqual({
      name: 'fast',
      model: 'gpt-fast',
      display_name: 'Fast',
      description: null,
      supports_thinking: false,
      supports_reasoning_effort: false,
      supports_vision: false,
      input_price_per_million: 0.5,
      output_price_per_million: 1.5,
      price_currency: 'USD',
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

  it('call tools and get their results', async () => {
    answer = ({ messages }) =>
      asideAnswer(messages) ??
      (messages.at(-1)?.role === 'tool'
        ? { text: 'No one is there.' }
        : { calls: [{ id: 'call_1', name: 'list_instances', args: {} }] });
    const { messages } = await ada.wait(await ada.thread(), question('Who is there?'));

    expect(messages.map(({ type }: { type: string }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages[1].tool_calls).toMatchObject([{ id: 'call_1', name: 'list_instances', args: {} }]);
    expect(messages[3].content).toBe('No one is there.');
    expect(provider.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
  });

  it('are counted by their configured name, with their tokens, and the run that called them', async () => {
    const scrape = async () => {
      const lines = (await (await server.gateway.fetch('/metrics')).text()).split('\n');
      return (series: string): number => {
        const line = lines.find((each) => each.startsWith(`${series} `));
        return Number(line?.slice(series.length + 1) ?? 0);
      };
    };
    const model = 'provider="openai",model="thinker"';
    const series = [
      `switchyard_model_calls_total{${model},outcome="ok"}`,
      `switchyard_model_call_seconds_count{${model}}`,
      `switchyard_model_tokens_total{${model},kind="input"}`,
      `switchyard_model_tokens_total{${model},kind="output"}`,
      'switchyard_runs_total{status="success",cause="none"}',
      'switchyard_run_wait_seconds_count',
      'switchyard_run_seconds_count',
      'switchyard_run_first_token_seconds_count',
    ];
    const before = await scrape();
    answer = ({ messages }) =>
      asideAnswer(messages) ?? { text: 'Hello there.', usage: { input: 70, output: 7 } };
    const stream = await ada.stream(await ada.thread(), {
      ...question('Hi'),
      stream_mode: ['messages-tuple'],
      context: { model_name: 'thinker' },
    });
    await stream.rest();
    const after = await scrape();
    const [calls = 0, timed, input, output, ...runs] = series.map((name) => after(name) - before(name));
    expect(calls).toBeGreaterThan(0);
    expect(timed).toBe(calls);
    expect(input).toBeGreaterThanOrEqual(70);
    expect(output).toBeGreaterThanOrEqual(7);
    expect(runs).toEqual([1, 1, 1, 1]);

    answer = () => ({ status: 400 });
    await ada.wait(await ada.thread(), { ...question('Hi'), context: { model_name: 'thinker' } });
    const failed = await scrape();
    expect(failed(`switchyard_model_calls_total{${model},outcome="error"}`)).toBeGreaterThan(0);
    expect(failed('switchyard_runs_total{status="error",cause="none"}')).toBeGreaterThan(0);
    for (const gauge of ['switchyard_runs_active', 'switchyard_runs_waiting'])
      await expect.poll(async () => (await scrape())(gauge)).toBe(0);
  });

  it('are chosen by the run, and named in its record', async () => {
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
      expect(text).toContain("Model 'gpt-0' is not configured; these are: fast, thinker, shaky, absent");
    },
  );

  it.each([
    ['thinking_enabled', 'true'],
    ['is_plan_mode', 1],
    ['subagent_enabled', 'yes'],
    ['max_concurrent_subagents', 'many'],
    ['max_concurrent_subagents', 2.5],
    ['is_bootstrap', 'no'],
    ['reasoning_effort', 'extreme'],
    ['model_name', 5],
  ])('are not asked by a run whose %s is %j', async (key, value) => {
    const threadId = await ada.thread();
    const said = { [key]: value };
    for (const [wish, place] of [
      [{ context: said }, ['context']],
      [{ config: { configurable: said } }, ['config', 'configurable']],
    ] as const) {
      const { status, body } = await ada.post(`/threads/${threadId}/runs`, { ...question('Hi'), ...wish });
      expect(status).toBe(422);
      expect(body.detail).toMatchObject([{ loc: ['body', ...place, key], input: value }]);
    }
    expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
  });

  it.each([
    [{ thinking_enabled: true }, { thinking: { type: 'enabled' }, reasoning_effort: 'high' }],
    [{ thinking_enabled: false }, { reasoning_effort: 'minimal' }],
  ])('think as the run says: %j', async (context, sent) => {
    await ada.wait(await ada.thread(), { ...question('Hi'), context: { model_name: 'thinker', ...context } });

    expect(provider.requests[0]?.body).toMatchObject(sent);
  });

  it('report what to install when their package is missing', async () => {
    const values = await ada.wait(await ada.thread(), {
      ...question('Hi'),
      context: { model_name: 'absent' },
    });

    expect(values.__error__.message).toMatch(/@langchain\/nowhere is missing; install it .*npm install/);
  });
});

describe('the title of a thread', () => {
  it('is written by the model, and its tokens count as those of middleware', async () => {
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, {
      ...question('Hi'),
      stream_mode: ['messages-tuple', 'values'],
    });
    const frames = await stream.rest();
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);

    expect(frames.findLast(({ event }) => event === 'values')?.data.title).toBe('A friendly greeting');
    expect(JSON.stringify(frames.filter(({ event }) => event === 'messages'))).not.toContain('friendly');
    expect(run).toMatchObject({ lead_agent_tokens: 15, middleware_tokens: 15, total_tokens: 30 });
    const events = await eventsOf(threadId, run.run_id);
    expect(events.map(({ event_type }) => event_type)).toContain('middleware:title');
    expect(events.filter(({ event_type }) => event_type === 'ai_message')).toHaveLength(1);
  });

  it('is taken from the question when the model fails', async () => {
    answer = ({ messages }) => (isTitle(messages) ? { status: 400 } : { text: 'Hello there.' });
    const { title } = await ada.wait(await ada.thread(), question('What is the weather like?'));

    expect(title).toBe('What is the weather like?');
  });
});

describe('a model that fails', () => {
  it('is asked again, and the stream says so', async () => {
    const refusals = [429, 503];
    answer = ({ messages }) => {
      const status = isTitle(messages) ? undefined : refusals.shift();
      return status ? { status, headers: { 'retry-after': '0' } } : { text: 'At last.' };
    };
    const stream = await ada.stream(await ada.thread(), {
      ...question('Hi'),
      stream_mode: ['custom', 'values'],
    });
    const frames = await stream.rest();

    const retry = { type: 'llm_retry', max_attempts: 3, wait_ms: 0 };
    expect(frames.filter(({ event }) => event === 'custom').map(({ data }) => data)).toMatchObject([
      { ...retry, attempt: 1, reason: 'rate_limited' },
      { ...retry, attempt: 2, reason: 'unavailable' },
    ]);
    expect(frames.findLast(({ event }) => event === 'values')?.data.messages.at(-1).content).toBe('At last.');
  });

  it('is replaced by its fallback', async () => {
    answer = ({ model, messages }) =>
      model === 'shaky-1' && !isTitle(messages) ? { status: 401 } : { text: `I am ${model}.` };
    const context = { model_name: 'shaky' };
    const { messages } = await ada.wait(await ada.thread(), { ...question('Hi'), context });

    expect(messages.at(-1).content).toBe('I am gpt-fast.');
  });

  it('ends the run after three attempts', async () => {
    answer = () => ({ status: 500, headers: { 'retry-after': '0' } });
    const values = await ada.wait(await ada.thread(), question('Hi'));

    expect(values.__error__.message).toContain('500');
    expect(provider.requests).toHaveLength(3);
  });

  it.each([
    ['a stream', ['messages-tuple']],
    ['an answer as a whole', ['values']],
  ])('because its answer has no end is stopped, in %s', async (_what, stream_mode) => {
    answer = () => ({ isEndless: true });
    const stream = await ada.stream(await ada.thread(), { ...question('Hi'), stream_mode });
    const frames = await stream.rest();

    expect(frames.at(-1)).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('larger than') },
    });
  });

  it('gets an apology in the conversation, and the run has failed', async () => {
    answer = () => ({ status: 401 });
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, question('Hi'));
    const frames = await stream.rest();
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    const { status, values } = await ada.ok('GET', `/threads/${threadId}`);

    expect(frames.at(-1)).toMatchObject({
      event: 'error',
      data: { message: expect.stringContaining('401') },
    });
    expect(run.status).toBe('error');
    expect(status).toBe('error');
    expect(values.messages).toMatchObject([
      { type: 'human' },
      { type: 'ai', content: 'I am sorry, I cannot answer: the model has failed. Please try again.' },
    ]);
    expect(values.title ?? null).toBeNull();
    const { data } = await ada.ok('GET', `/threads/${threadId}/messages/page`);
    expect(data.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'human_message',
      'ai_message',
    ]);
  });

  it('does not affect later runs, which may add no messages', async () => {
    answer = () => ({ status: 401 });
    const threadId = await ada.thread();
    await ada.wait(threadId, question('Hi'));
    answer = ({ messages }) => asideAnswer(messages) ?? { text: 'Back again.' };
    const idle = await ada.run(threadId, { assistant_id: 'lead_agent', input: null });
    const values = await ada.wait(threadId, question('And now?'));

    expect((await ada.ended(threadId, idle.run_id)).status).toBe('success');
    expect(values.messages.at(-1).content).toBe('Back again.');
    expect(values.title).toBe('A friendly greeting');
  });
});

describe('tool calls', () => {
  it('that a cancel interrupted get a result in the next run', async () => {
    const threadId = await ada.thread();
    await ada.ok('POST', `/threads/${threadId}/state`, {
      values: {
        messages: [
          { type: 'human', content: 'Go', id: 'h1' },
          {
            type: 'ai',
            content: '',
            id: 'a1',
            tool_calls: [{ id: 'call_9', name: 'list_instances', args: {} }],
          },
        ],
      },
      as_node: 'model_request',
    });
    const { messages } = await ada.wait(threadId, question('And now?'));

    expect(messages.map(({ type }: { type: string }) => type)).toEqual([
      'human',
      'ai',
      'tool',
      'human',
      'ai',
    ]);
    expect(messages[2]).toMatchObject({ tool_call_id: 'call_9', status: 'error' });
    expect(provider.requests[0]?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'user',
    ]);
  });

  it('that repeat are stopped', async () => {
    let calls = 0;
    answer = ({ messages, body }) => {
      const aside = asideAnswer(messages);
      if (aside) return aside;
      if (body.tool_choice === 'none') return { text: 'I give up.' };
      calls += 1;
      return { calls: [{ id: `call_${calls}`, name: 'list_instances', args: {} }] };
    };
    const { messages } = await ada.wait(await ada.thread(), question('Loop'));

    expect(calls).toBe(4);
    expect(messages.at(-1).content).toBe('I give up.');
    expect(JSON.stringify(provider.requests[3]?.messages.at(-1))).toContain('same tool calls');
  });
});

describe('a turn', () => {
  it('ends with a question to the user', async () => {
    const asked = { question: 'Which one?', clarification_type: 'approach_choice', options: ['red', 'blue'] };
    answer = ({ messages }) =>
      asideAnswer(messages) ?? { calls: [{ id: 'call_1', name: 'ask_clarification', args: asked }] };
    const threadId = await ada.thread();
    const { messages } = await ada.wait(threadId, question('Paint it'));

    expect(messages.at(-1)).toMatchObject({
      type: 'tool',
      name: 'ask_clarification',
      content: '🔀 Which one?\n\n  1. red\n  2. blue',
    });
    expect(provider.requests.filter(({ messages: sent }) => !isTitle(sent))).toHaveLength(1);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });

  it('asks with an artifact that a page draws as buttons, in the state, the history and the events', async () => {
    const asked = {
      question: 'Which one?',
      options: ['red', ' ', 'blue', 'red'],
      context: 'Both are there.',
    };
    answer = ({ messages }) =>
      asideAnswer(messages) ?? { calls: [{ id: 'call_1', name: 'ask_clarification', args: asked }] };
    const threadId = await ada.thread();
    const { messages } = await ada.wait(threadId, question('Paint it'));

    const human_input = {
      version: 1,
      kind: 'human_input_request',
      source: 'ask_clarification',
      request_id: 'clarification:call_1',
      tool_call_id: 'call_1',
      clarification_type: 'missing_info',
      question: 'Which one?',
      context: 'Both are there.',
      input_mode: 'choice_with_other',
      options: [
        { id: 'option-1', label: 'red', value: 'red' },
        { id: 'option-2', label: 'blue', value: 'blue' },
      ],
    };
    const card = { id: 'clarification:call_1', name: 'ask_clarification', artifact: { human_input } };
    expect(messages.at(-1)).toMatchObject(card);
    const [newest] = await ada.ok('POST', `/threads/${threadId}/history`, { limit: 1 });
    expect(newest.values.messages.at(-1)).toMatchObject(card);
    const { data } = await ada.ok('GET', `/threads/${threadId}/messages/page`);
    expect(data.at(-1).content).toMatchObject(card);
  });

  it('keeps its question when the model uses the id of the call again, and the answer that the page hides', async () => {
    answer = ({ messages }) =>
      asideAnswer(messages) ?? {
        calls: [
          {
            id: 'call_1',
            name: 'ask_clarification',
            args: { question: `Number ${messages.length}?` },
          },
        ],
      };
    const threadId = await ada.thread();
    await ada.wait(threadId, question('Ask'));
    const additional_kwargs = {
      hide_from_ui: true,
      human_input_response: {
        version: 1,
        kind: 'human_input_response',
        source: 'ask_clarification',
        request_id: 'clarification:call_1',
        response_kind: 'text',
        value: 'one',
      },
    };
    const reply = { role: 'user', content: 'one', additional_kwargs };
    const { messages } = await ada.wait(threadId, { ...question(''), input: { messages: [reply] } });

    const questions = messages.filter(({ type }: { type: string }) => type === 'tool');
    expect(questions).toMatchObject([
      {
        id: 'clarification:call_1',
        artifact: { human_input: { input_mode: 'free_text', question: 'Number 2?' } },
      },
      { artifact: { human_input: { question: 'Number 5?', request_id: questions[1].id } } },
    ]);
    expect(questions[1].id).not.toBe('clarification:call_1');
    const [newest] = await ada.ok('POST', `/threads/${threadId}/history`, { limit: 1 });
    expect(newest.values.messages[3]).toMatchObject({ type: 'human', additional_kwargs });
  });

  it('keeps a to-do list in plan mode only', async () => {
    const todos = [{ content: 'Look', status: 'in_progress' }];
    answer = ({ messages, tools }) => {
      const canPlan = tools.includes('write_todos') && messages.at(-1)?.role === 'user';
      if (canPlan) return { calls: [{ id: 'call_1', name: 'write_todos', args: { todos } }] };
      return asideAnswer(messages) ?? { text: 'Done.' };
    };
    const planned = await ada.wait(await ada.thread(), {
      ...question('Plan'),
      context: { is_plan_mode: true },
    });
    const plain = await ada.wait(await ada.thread(), question('Plan'));

    expect(planned.todos).toEqual(todos);
    expect(plain.todos ?? null).toBeNull();
    expect(planned.messages[2]).toMatchObject({ name: 'write_todos', status: 'success' });
  });

  it('refuses a to-do list that was not asked for', async () => {
    const calls = [{ id: 'call_1', name: 'write_todos', args: { todos: [] } }];
    answer = ({ messages }) =>
      asideAnswer(messages) ?? (messages.at(-1)?.role === 'user' ? { calls } : { text: 'Done.' });
    const { messages, todos } = await ada.wait(await ada.thread(), question('Plan'));

    expect(messages[2]).toMatchObject({
      status: 'error',
      content: expect.stringContaining('not in plan mode'),
    });
    expect(todos ?? null).toBeNull();
  });
});

describe('a long conversation', () => {
  it('is summarised for the model, and stays whole on display', async () => {
    const threadId = await ada.thread();
    const first = ['one', 'two', 'three', 'four', 'five', 'six'];
    for (const text of first) await ada.wait(threadId, question(text));
    const { messages } = await ada.wait(threadId, question('seven'));
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);

    expect(messages.map(({ type }: { type: string }) => type)).toEqual([
      'human',
      'human',
      'ai',
      'human',
      'ai',
    ]);
    expect(messages[0]).toMatchObject({ name: 'summary', content: expect.stringContaining('They counted.') });
    const shown = await ada.ok('GET', `/threads/${threadId}/messages`);
    const texts = shown.map(({ content }: { content: { content: string } }) => content.content);
    expect(texts.filter((text: string) => text !== 'Hello there.')).toEqual([...first, 'seven']);
    const events = await eventsOf(threadId, run.run_id);
    expect(events).toContainEqual(
      expect.objectContaining({ event_type: 'middleware:summarize', category: 'middleware' }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ event_type: 'summarization', category: 'middleware:summarize' }),
    );
    expect(run).toMatchObject({ lead_agent_tokens: 15, middleware_tokens: 15 });
  });
});

async function eventsOf(
  threadId: string,
  runId: string,
): Promise<{ event_type: string; category: string }[]> {
  return ada.ok('GET', `/threads/${threadId}/runs/${runId}/events`);
}

type Messages = FakeRequest['messages'];

/** Returns the model's answer to a request of middleware. */
function asideAnswer(messages: Messages): FakeReply | undefined {
  if (isTitle(messages)) return { text: '<think>Hm.</think>"A friendly greeting"' };
  const isSummary = String(messages[0]?.content).startsWith('Summarise this conversation');
  return isSummary ? { text: 'They counted.' } : undefined;
}

function isTitle(messages: Messages): boolean {
  return String(messages[0]?.content).startsWith('Write a title');
}

function question(text: string) {
  return { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: text }] } };
}
