import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation({ title: { enabled: false } });
  ({ ada } = server);
  await ada.ok('POST', '/agents', { name: 'painter', soul: 'You paint.' });
});
afterAll(() => server.close());

const runsOf = async (threadId: string) =>
  (await ada.ok('GET', `/threads/${threadId}/runs`)).map(
    ({ assistant_id }: { assistant_id: string }) => assistant_id,
  );
const assistantOf = async (threadId: string) => (await ada.ok('GET', `/threads/${threadId}`)).assistant_id;
const hello = { input: says('hello') };

describe.each(['/api', '/api/langgraph'] as const)('a run that names no assistant at %s', (mount) => {
  let caller: ConversationCaller;
  beforeAll(() => {
    caller = server.ada.at(mount);
  });

  it('goes on with the graph of the last run of its thread', async () => {
    const threadId = await caller.thread();
    expect(await assistantOf(threadId)).toBeNull();
    await caller.wait(threadId, { assistant_id: 'chat', ...hello });
    expect(await assistantOf(threadId)).toBe('chat');
    const { messages } = await caller.wait(threadId, { input: says('and more') });
    expect(messages.at(-1).content).toBe('You said: and more');
    expect(await runsOf(threadId)).toEqual(['chat', 'chat']);
  });

  it('answers the question of a graph with that graph', async () => {
    const threadId = await caller.thread();
    await caller.wait(threadId, { assistant_id: 'strings', input: { messages: ['hello'] } });
    const { messages } = await caller.wait(threadId, { command: { resume: 'yes' } });
    expect(messages).toEqual(['hello', 'answer: yes', 'heard: HELLO, ANSWER: YES']);
  });

  it('keeps the settings of the run before, without which a function would make another graph', async () => {
    const threadId = await caller.thread();
    const config = { configurable: { step: 'blue' } };
    await caller.wait(threadId, { assistant_id: 'made', input: { topic: 'tea' }, config });
    const { log } = await caller.wait(threadId, { command: { resume: 'yes' } });
    expect(log).toEqual(['blue asked yes', 'blue ended']);
    await caller.wait(threadId, { assistant_id: 'made', input: { topic: 'tea' } });
    expect((await caller.ok('GET', `/threads/${threadId}/state`)).next).toEqual(['plain_ask']);
  });

  it('begins with the assistant that its thread was made for', async () => {
    const threadId = await caller.thread({ assistant_id: 'chat' });
    await caller.wait(threadId, hello);
    expect(await runsOf(threadId)).toEqual(['chat']);
  });

  it('begins a new thread with the built-in agent', async () => {
    const threadId = await caller.thread();
    await caller.wait(threadId, hello);
    expect(await runsOf(threadId)).toEqual(['lead_agent']);
  });

  it('goes on in a thread that only its settings name', async () => {
    const threadId = await caller.thread();
    await caller.wait(threadId, { assistant_id: 'chat', ...hello });
    const config = { configurable: { thread_id: threadId } };
    await caller.ok('POST', '/runs/wait', { config, ...hello });
    expect(await runsOf(threadId)).toEqual(['chat', 'chat']);
  });
});

it('goes on with another assistant once the user has chosen it', async () => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'chat', ...hello });
  await ada.wait(threadId, { assistant_id: 'counted', ...hello });
  await ada.wait(threadId, hello);
  expect(await runsOf(threadId)).toEqual(['counted', 'counted', 'chat']);
});

it('goes on with an assistant of the user’s own, with its settings', async () => {
  const made = { graph_id: 'remembering', name: 'Notes', config: { configurable: { colour: 'blue' } } };
  const { assistant_id: id } = await ada.ok('POST', '/assistants', made);
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: id, ...hello });
  const { messages } = await ada.wait(threadId, hello);
  expect(JSON.parse(messages.at(-1).content).others).toContain('colour');
  expect(await runsOf(threadId)).toEqual([id, id]);
});

it('goes on as the custom agent that the built-in one worked as', async () => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'lead_agent', context: { agent_name: 'painter' }, ...hello });
  expect(await assistantOf(threadId)).toBe('painter');
  const run = await ada.run(threadId, hello);
  const { assistant_id, kwargs } = await ada.ended(threadId, run.run_id);
  expect([assistant_id, kwargs.config.configurable.agent_name]).toEqual(['painter', 'painter']);
});

it('does not go on as an agent that is still being set up', async () => {
  const threadId = await ada.thread();
  const context = { agent_name: 'not-yet', is_bootstrap: true };
  await ada.wait(threadId, { assistant_id: 'lead_agent', context, ...hello });
  expect(await assistantOf(threadId)).toBe('lead_agent');
});

it('says which assistant is gone, and goes on with another one', async () => {
  await ada.ok('POST', '/agents', { name: 'leaver', soul: 'You leave.' });
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'leaver', ...hello });
  await ada.ok('DELETE', '/agents/leaver');
  const answer = await ada.post(`/threads/${threadId}/runs`, hello);
  expect(answer.status).toBe(404);
  expect(answer.text).toContain(
    "The assistant of this thread, 'leaver', does not exist any more. Name another one (assistant_id).",
  );
  await ada.wait(threadId, { assistant_id: 'lead_agent', ...hello });
});

it('is kept by a branch and a copy of its thread', async () => {
  const threadId = await ada.thread();
  const { messages } = await ada.wait(threadId, { assistant_id: 'chat', ...hello });
  const branch = await ada.ok('POST', `/threads/${threadId}/branches`, { message_id: messages.at(-1).id });
  const copy = await ada.ok('POST', `/threads/${threadId}/copy`);
  for (const { thread_id: id } of [branch, copy]) {
    await ada.wait(id, { input: says('and here') });
    expect((await runsOf(id))[0]).toBe('chat');
  }
});

it('is the assistant of a scheduled task in the thread', async () => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'chat', ...hello });
  const task = {
    title: 'News',
    prompt: 'hello',
    schedule_type: 'cron',
    schedule_spec: { cron: '0 * * * *' },
    timezone: 'UTC',
  };
  const inThread = { ...task, context_mode: 'reuse_thread', thread_id: threadId };
  expect((await ada.ok('POST', '/scheduled-tasks', inThread)).assistant_id).toBe('chat');
  const { id, assistant_id } = await ada.ok('POST', '/scheduled-tasks', task);
  expect(assistant_id).toBe('lead_agent');
  const moved = { context_mode: 'reuse_thread', thread_id: threadId };
  expect((await ada.ok('PATCH', `/scheduled-tasks/${id}`, moved)).assistant_id).toBe('chat');
});
