import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada.at('/api/langgraph');
});
afterAll(() => server.close());

it('a complete message is announced after the values that it belongs to', async () => {
  const threadId = await ada.thread();
  const asked = { assistant_id: 'chat', input: says('look up dogs'), stream_mode: ['values', 'messages'] };
  const frames = await (await ada.stream(threadId, asked)).rest();
  const places = frames.flatMap(({ event }, place) => (event === 'messages/complete' ? [place] : []));
  expect(places.length).toBeGreaterThan(1);
  for (const place of places) {
    const [message] = (frames[place]?.data ?? []) as { id: string }[];
    const before = frames.slice(0, place).findLast(({ event }) => event === 'values');
    expect(before?.data.messages.map(({ id }: { id: string }) => id)).toContain(message?.id);
  }
});

it('a thread begins with supersteps whose command says which node comes next', async () => {
  const updates = [
    { values: { plan: 'paint', log: ['given'] }, as_node: '__start__' },
    { command: { update: { log: ['by command'] }, goto: 'finish' }, as_node: 'prepare' },
  ];
  const supersteps = updates.map((update) => ({ updates: [update] }));
  const metadata = { graph_id: 'approval' };
  const { thread_id: threadId } = await ada.ok('POST', '/threads', { metadata, supersteps });
  const state = await ada.ok('GET', `/threads/${threadId}/state`);
  expect(state.values).toMatchObject({ plan: 'paint', log: ['given', 'by command'] });
  expect(state.next).toContain('finish');

  for (const goto of ['nowhere', [{ node: 'nowhere' }], 7]) {
    const body = { metadata, supersteps: [{ updates: [{ command: { goto }, as_node: 'prepare' }] }] };
    expect((await ada.post('/threads', body)).status).toBe(422);
  }
});

it('a history names its checkpoints as the debug stream of the run does', async () => {
  const threadId = await ada.thread();
  const asked = { assistant_id: 'chat', input: says('x'), stream_mode: ['debug'] };
  const frames = await (await ada.stream(threadId, asked)).rest();
  const streamed = frames.flatMap(({ event, data }) =>
    event === 'debug' && data.type === 'checkpoint' ? [namesIn(data.payload)] : [],
  );
  const history = await ada.ok('POST', `/threads/${threadId}/history`, {});
  expect(streamed.length).toBeGreaterThan(1);
  expect(history.map(namesIn)).toEqual(streamed.toReversed());
});

it('a history that names a checkpoint is that checkpoint, so that a client can go back one parent at a time', async () => {
  const threadId = await ada.thread();
  for (const text of ['one', 'two']) await ada.wait(threadId, { assistant_id: 'chat', input: says(text) });
  const history = (body: object) => ada.ok('POST', `/threads/${threadId}/history`, body);
  const all = await history({ limit: 100 });
  const steps = [];
  let checkpoint = { checkpoint_id: all[0].checkpoint.checkpoint_id };
  while (checkpoint) {
    const [entry, ...others] = await history({ limit: 10, checkpoint });
    expect(others).toEqual([]);
    steps.push(entry.metadata.step);
    checkpoint = entry.parent_checkpoint;
  }
  expect(steps).toEqual(all.map(({ metadata }: { metadata: { step: number } }) => metadata.step));
});

it('a task that runs a subgraph says where its states are, without names that are empty', async () => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'nested', input: says('x'), interrupt_before: ['inner'] });
  const { tasks } = await ada.ok('GET', `/threads/${threadId}/state`);
  expect(tasks.map(({ checkpoint }: { checkpoint: unknown }) => checkpoint)).toEqual([
    { thread_id: threadId, checkpoint_ns: expect.stringMatching(/^inner:/) },
  ]);
});

it('an update of a state leaves out what the graph has no channel for, and /api refuses it', async () => {
  const threadId = await ada.thread();
  await ada.wait(threadId, { assistant_id: 'chat', input: says('one') });
  const values = {
    messages: [{ ...says('two').messages[0], id: 'two' }],
    copilotkit: { actions: [] },
    tools: [],
  };
  const body = { values, as_node: '__start__' };
  expect(await server.ada.post(`/threads/${threadId}/state`, body)).toMatchObject({
    status: 422,
    body: { detail: 'Unknown thread-state field(s): copilotkit, tools' },
  });
  const changed = await ada.ok('POST', `/threads/${threadId}/state`, body);
  expect(changed.values.messages.at(-1)).toMatchObject({ id: 'two', content: 'two' });
  expect(changed.values).not.toHaveProperty('copilotkit');
  const begun = {
    metadata: { graph_id: 'approval' },
    supersteps: [{ updates: [{ values: { plan: 'paint', tools: [] }, as_node: '__start__' }] }],
  };
  expect((await server.ada.post('/threads', begun)).status).toBe(422);
  expect((await ada.ok('POST', '/threads', begun)).values).toMatchObject({ plan: 'paint' });
  // What is named has to be there all the same.
  expect((await ada.post(`/threads/${threadId}/state`, { ...body, as_node: 'nowhere' })).status).toBe(422);
});

it('a message of a tool keeps its own metadata', async () => {
  const threadId = await ada.thread();
  const result = { type: 'tool', tool_call_id: 'c', content: '3', metadata: { from: 'cache' } };
  const input = { messages: [...says('look up dogs').messages, result] };
  const { messages } = await ada.wait(threadId, { assistant_id: 'chat', input });
  expect(messages).toContainEqual(expect.objectContaining(result));
});

it('PATCH of a state merges metadata into the thread of the caller alone', async () => {
  const threadId = await ada.thread({ metadata: { a: 1 } });
  const patch = (caller: ConversationCaller) =>
    caller.call('PATCH', `/threads/${threadId}/state`, { body: { metadata: { b: 2 } } });
  expect((await patch(ada)).status).toBe(204);
  expect((await patch(server.bob.at('/api/langgraph'))).status).toBe(404);
  expect((await ada.ok('GET', `/threads/${threadId}`)).metadata).toMatchObject({ a: 1, b: 2 });
});

function namesIn({
  checkpoint,
  parent_checkpoint,
}: {
  checkpoint: unknown;
  parent_checkpoint: unknown;
}): unknown {
  return { checkpoint, parent_checkpoint };
}
