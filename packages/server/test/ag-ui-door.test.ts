import { randomUUID } from 'node:crypto';
import { type AgentSubscriber, HttpAgent } from '@ag-ui/client';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import type { ConversationCaller } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';

type Event = { type: string } & Record<string, unknown>;

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

/** A page with the genuine client, which refuses events that do not follow the protocol. */
function openPage(agent: string, { caller = ada, threadId = randomUUID() as string } = {}) {
  const page = new HttpAgent({
    url: `${caller.url}/ag-ui/${agent}`,
    headers: { authorization: `Bearer ${caller.token}` },
    threadId,
  });
  /** Runs the agent to its end. Returns the events as they came. */
  const run = async (given: Parameters<HttpAgent['runAgent']>[0] = {}, watch: AgentSubscriber = {}) => {
    const events: Event[] = [];
    const noteEvent: AgentSubscriber = { ...watch, onEvent: ({ event }) => void events.push(event as Event) };
    await page.runAgent(given, noteEvent);
    return events;
  };
  const ask = (content: string) => page.addMessage({ id: randomUUID(), role: 'user', content });
  return { page, run, ask, threadId };
}

const typesOf = (events: readonly Event[]) => events.map(({ type }) => type);
const textsOf = ({ messages }: HttpAgent) => messages.map(({ role, content }) => [role, content]);

describe('a chat', () => {
  it('streams texts, calls, results, steps and state, and goes on in the same thread', async () => {
    const { page, run, ask, threadId } = openPage('chat');
    ask('look up cats');
    const events = await run();
    expect(typesOf(events).filter((type, index, all) => type !== all[index - 1])).toEqual([
      'RUN_STARTED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'STEP_STARTED',
      'CUSTOM',
      'TOOL_CALL_RESULT',
      'STEP_FINISHED',
      'STEP_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'MESSAGES_SNAPSHOT',
      'RUN_FINISHED',
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'CUSTOM', name: 'looking', value: { type: 'looking', topic: 'cats' } }),
    );
    expect(events.at(-1)).toMatchObject({
      outcome: { type: 'success' },
      usage: [{ model: 'scripted-1', inputTokens: 1 }, { model: 'scripted-1' }],
    });
    expect(textsOf(page)).toEqual([
      ['user', 'look up cats'],
      ['assistant', 'Looking.'],
      ['tool', 'all about cats'],
      ['assistant', 'Found: all about cats'],
    ]);
    expect(page.messages[1]).toMatchObject({
      toolCalls: [{ function: { name: 'look_up', arguments: '{"topic":"cats"}' } }],
    });

    ask('count to 3');
    await run();
    const state = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(state.values.messages.map(({ content }: { content: string }) => content)).toEqual([
      'look up cats',
      'Looking.',
      'all about cats',
      'Found: all about cats',
      'count to 3',
      '1 2 3',
    ]);
    expect(page.messages).toHaveLength(6);
  });

  it('answers a question again in place of its first answer', async () => {
    const { page, run, ask, threadId } = openPage('chat');
    ask('count to 2');
    await run();
    ask('count to 4');
    await run();
    page.setMessages(page.messages.slice(0, 3));
    await run();
    const again = [
      ['user', 'count to 2'],
      ['assistant', '1 2'],
      ['user', 'count to 4'],
      ['assistant', '1 2 3 4'],
    ];
    expect(textsOf(page)).toEqual(again);
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(values.messages).toHaveLength(4);
  });

  it('takes a history and pictures into a new thread', async () => {
    const { page, run, threadId } = openPage('chat');
    page.setMessages([
      { id: 'one', role: 'user', content: 'hello' },
      { id: 'two', role: 'assistant', content: 'good day', toolCalls: [] },
      {
        id: 'three',
        role: 'user',
        content: [
          { type: 'text', text: 'count to 1' },
          { type: 'image', source: { type: 'data', value: 'aGk=', mimeType: 'image/png' } },
        ],
      },
    ]);
    await run();
    expect(page.messages.at(2)).toMatchObject({
      content: [{ type: 'text' }, { type: 'image', source: { type: 'data', value: 'aGk=' } }],
    });
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(values.messages[2].content[1]).toEqual({
      type: 'image_url',
      image_url: { url: 'data:image/png;base64,aGk=' },
    });
  });
});

describe('a run that asks a human', () => {
  it('ends with the interrupt, and goes on with the answer', async () => {
    const { page, run } = openPage('approval');
    page.setState({ plan: 'sail' });
    const events = await run();
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'CUSTOM', name: 'on_interrupt', value: { question: 'May I sail?' } }),
    );
    const asked = { id: expect.any(String), reason: 'input_required', message: 'May I sail?' };
    expect(events.at(-1)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [asked] } });
    const [question] = page.pendingInterrupts;
    const answered = await run({
      resume: [{ interruptId: question?.id ?? '', status: 'resolved', payload: 'yes' }],
    });
    expect(answered.at(-1)).toMatchObject({ outcome: { type: 'success' } });
    expect(page.state).toMatchObject({ log: ['prepared sail', 'answered "yes"', 'finished sail'] });
  });
});

describe('the lead agent', () => {
  it('runs a workflow on the pool, and the page sees how far it is', async () => {
    const worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(server.gateway.url);
    await admin.useWorkers([worker.port]);
    const pool = await DispatchCaller.login(server.gateway.url, 'ada@example.com');
    const workflow = {
      '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 255 } },
      '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'ground' } },
    };
    await pool.call('POST', '/api/workflows', { name: 'Plain ground', workflow, exposed: true });
    const { page, run, ask } = openPage('lead_agent');
    ask('run plain ground');
    const events = await run();
    expect(events.filter(({ type }) => type === 'CUSTOM').map(({ name }) => name)).toContain(
      'worker_task_progress',
    );
    expect(events.at(-1)).toMatchObject({ outcome: { type: 'success' } });
    expect(textsOf(page).at(-1)?.[1]).toContain('made 1 file');
    await worker.close();
  });
});

it('cancels the run of a page that goes away', async () => {
  closeGate('ag-ui-gone');
  const { page, run, ask, threadId } = openPage('chat');
  ask('count to 5 at gate ag-ui-gone before 3');
  await run({}, { onTextMessageContentEvent: () => page.abortRun() });
  await expect
    .poll(async () => (await ada.ok('GET', `/threads/${threadId}/runs`)).map(({ status }: Event) => status))
    .toEqual(['interrupted']);
});

it('tells a page that the run has failed', async () => {
  const { run, ask } = openPage('failing');
  ask('go');
  const events: Event[] = [];
  await run({}, { onRunErrorEvent: ({ event }) => void events.push(event as unknown as Event) }).catch(
    () => [],
  );
  expect(events).toEqual([expect.objectContaining({ code: 'run_failed', message: expect.any(String) })]);
});

describe('what is refused', () => {
  const post = (agent: string, body: object, caller = ada) =>
    fetch(`${caller.url}/ag-ui/${agent}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${caller.token}` },
      body: JSON.stringify({
        threadId: randomUUID(),
        runId: 'r',
        messages: [],
        tools: [],
        context: [],
        ...body,
      }),
    });

  it.each<[string, object, string]>([
    ['a thread id that no thread can have', { threadId: '../x' }, 'threadId'],
    ['a message without a role', { messages: [{ id: 'm', content: 'x' }] }, 'role'],
    [
      'a film',
      { messages: [{ id: 'm', role: 'user', content: [{ type: 'video', source: {} }] }] },
      'a part is text, or an image with its data or address',
    ],
    [
      'arguments that are no object',
      {
        messages: [
          { id: 'm', role: 'assistant', toolCalls: [{ id: 'c', function: { name: 'n', arguments: '[1' } }] },
        ],
      },
      'JSON object',
    ],
  ])('%s', async (_, body, told) => {
    const answer = await post('chat', body);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(told);
  });

  it('an agent that is not there, and the thread of another user', async () => {
    expect((await post('nowhere', {})).status).toBe(404);
    const { run, ask, threadId } = openPage('chat');
    ask('count to 1');
    await run();
    expect((await post('chat', { threadId }, server.bob)).status).toBe(404);
  });
});
