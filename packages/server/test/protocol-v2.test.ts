import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import type { ConversationStream, Frame } from './support/conversation-stream.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
let bob: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada.at('/api/langgraph');
  bob = server.bob.at('/api/langgraph');
});
afterAll(() => server.close());

const everything = [
  'values',
  'updates',
  'messages',
  'tools',
  'lifecycle',
  'input',
  'checkpoints',
  'tasks',
  'custom',
];

function command(threadId: string, method: string, params: object = {}, caller = ada) {
  return caller.post(`/threads/${threadId}/commands`, { id: 1, method, params });
}

async function started(threadId: string, params: object): Promise<string> {
  const { body } = await command(threadId, 'run.start', params);
  expect(body).toMatchObject({ type: 'success', id: 1, result: { run_id: expect.any(String) } });
  return body.result.run_id;
}

function events(threadId: string, filter: object = { channels: everything }): Promise<ConversationStream> {
  return ada.open('POST', `/threads/${threadId}/stream/events`, { body: filter });
}

const isRoot = ({ event, data }: Frame) => event === 'lifecycle' && data.params.namespace.length === 0;
const isEnd = (frame: Frame) => isRoot(frame) && frame.data.params.data.event !== 'running';
const untilEnd = async (stream: ConversationStream) => (await stream.until(isEnd)).data.params.data;

/** All events of a thread up to the end of its first run. */
async function runOf(threadId: string, filter?: object): Promise<Frame[]> {
  const stream = await events(threadId, filter);
  await stream.until(isEnd);
  stream.leave();
  return stream.frames;
}

describe('the events of a thread', () => {
  it('come to a reader who was there before the thread, and not to another user', async () => {
    const threadId = randomUUID();
    const early = await events(threadId);
    const foreign = await bob.open('POST', `/threads/${threadId}/stream/events`, {
      body: { channels: everything },
    });
    await started(threadId, { assistant_id: 'chat', input: says('hello') });
    await early.until(isEnd);
    expect(early.frames).toEqual(await runOf(threadId));
    expect(foreign.frames).toEqual([]);
    early.leave();
    foreign.leave();
  });

  it('come to a reader who is there before the run, and to one who comes after it, under the same ids', async () => {
    const threadId = await ada.thread();
    const early = await events(threadId);
    await started(threadId, { assistant_id: 'chat', input: says('look up cats') });
    expect(await untilEnd(early)).toEqual({ event: 'completed', graph_name: 'chat' });
    const late = await runOf(threadId);
    expect(late).toEqual(early.frames);
    const ids = late.map(({ data }) => data.event_id);
    expect(new Set(ids).size).toBe(ids.length);
    const numbers = late.map(({ data }) => data.seq);
    expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
    expect(late.every(({ id, event, data }) => id === data.event_id && event === data.method)).toBe(true);
    early.leave();
  });

  it('name the checkpoint of each state just before it', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'chat', input: says('hello') });
    const frames = await runOf(threadId, { channels: ['values', 'checkpoints', 'lifecycle'] });
    const states = frames.filter(({ event }) => event !== 'lifecycle');
    expect(states.map(({ event }) => event)).toEqual(['checkpoints', 'values', 'checkpoints', 'values']);
    const { checkpoint } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(states.at(-2)?.data.params.data).toMatchObject({ id: checkpoint.checkpoint_id, source: 'loop' });
  });

  it('tell when each was made, so that a client knows what its state has already', async () => {
    const threadId = await ada.thread();
    const beforeMs = Date.now();
    await started(threadId, { assistant_id: 'chat', input: says('hello') });
    const first = await runOf(threadId);
    const again = await runOf(threadId);
    const times = first.map(({ data }) => data.params.timestamp);
    expect(again.map(({ data }) => data.params.timestamp)).toEqual(times);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(beforeMs);
  });

  it('go on over a question into the run that has the answer', async () => {
    const threadId = await ada.thread();
    const stream = await events(threadId);
    await started(threadId, { assistant_id: 'approval', input: { plan: 'paint' } });
    expect(await untilEnd(stream)).toMatchObject({ event: 'interrupted' });
    const asked = stream.of('input.requested').map(({ data }) => data.params.data);
    expect(asked).toEqual([{ interrupt_id: expect.any(String), payload: { question: 'May I paint?' } }]);
    const answered = await command(threadId, 'input.respond', {
      namespace: [],
      interrupt_id: asked[0].interrupt_id,
      response: { ok: false },
    });
    expect(answered.body).toMatchObject({ type: 'success', result: {} });
    const asking = stream.of('input.requested').at(-1)?.data.seq;
    expect(answered.body.meta.applied_through_seq).toBeGreaterThan(asking);
    expect(await untilEnd(stream)).toMatchObject({ event: 'completed' });
    expect(stream.of('values').at(-1)?.data.params.data.log).toEqual([
      'prepared paint',
      'answered {"ok":false}',
      'finished paint',
    ]);
    stream.leave();
  });

  it('are those that a reader asked for, by channel, namespace and depth', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'nested', input: says('hi') });
    const shown = async (filter: object) => {
      const frames = await runOf(threadId, filter);
      return [
        ...new Set(
          frames.map(({ event, data }) => `${event} ${data.params.namespace.map(nodeOf).join('/')}`),
        ),
      ];
    };
    expect(await shown({ channels: ['values', 'lifecycle'], namespaces: [[]], depth: 0 })).toEqual([
      'lifecycle ',
      'values ',
    ]);
    expect(await shown({ channels: ['messages', 'lifecycle'] })).toEqual([
      'lifecycle ',
      'lifecycle inner',
      'messages inner/inner_model',
    ]);
    expect(await shown({ channels: ['messages', 'lifecycle'], namespaces: [[]], depth: 1 })).toEqual([
      'lifecycle ',
      'lifecycle inner',
    ]);
  });

  it('of a run that version 1 has started come as far as its frames go', async () => {
    const threadId = await ada.thread();
    const { run_id: runId } = await ada.run(threadId, {
      assistant_id: 'chat',
      input: says('hello'),
      stream_mode: ['values', 'messages-tuple'],
    });
    const frames = await runOf(threadId);
    const deltas = frames
      .map(({ data }) => data.params.data.delta?.text)
      .filter((text) => text !== undefined);
    expect(deltas.join('')).toBe('You said: hello');
    expect(frames.map(({ event }) => event)).toContain('values');
    expect(frames.at(-1)?.data.event_id).toContain(runId);
  });

  it('begin behind the number that a reader has, and refuse one of another thread', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'chat', input: says('hello') });
    const all = await runOf(threadId);
    const since = all[3]?.data.seq;
    expect(await runOf(threadId, { channels: everything, since })).toEqual(
      all.filter(({ data }) => data.seq >= since),
    );
    const refused = await ada.post(`/threads/${threadId}/stream/events`, {
      channels: ['values'],
      since: 7_000_000_001,
    });
    expect(refused).toMatchObject({
      status: 422,
      body: { type: 'error', id: null, error: 'invalid_argument', message: expect.stringContaining('since') },
    });
  });

  it('say that a cancelled run was interrupted, and a failed one why', async () => {
    const threadId = await ada.thread();
    const gate = closeGate('v2-cancel');
    const stream = await events(threadId);
    const runId = await started(threadId, {
      assistant_id: 'chat',
      input: says('count to 4 at gate v2-cancel before 3'),
    });
    await gate.reached;
    await ada.post(`/threads/${threadId}/runs/${runId}/cancel?wait=0&action=interrupt`);
    expect(await untilEnd(stream)).toEqual({ event: 'interrupted', graph_name: 'chat' });
    stream.leave();
    const failing = await ada.thread();
    await started(failing, { assistant_id: 'failing', input: {} });
    const end = (await runOf(failing)).at(-1)?.data.params.data;
    expect(end).toMatchObject({ event: 'failed', error: expect.stringMatching(/\S/) });
  });

  it('keep the stored messages as version 1 writes them', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'chat', input: says('hello') });
    await runOf(threadId);
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(values.messages.map(({ content }: { content: unknown }) => content)).toEqual([
      'hello',
      'You said: hello',
    ]);
  });
});

describe('a command', () => {
  it('makes the thread of its run when the client has chosen a new id', async () => {
    const threadId = randomUUID();
    await started(threadId, { assistant_id: 'chat', input: says('hello') });
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ thread_id: threadId });
  });

  it('answers the question of a thread that waits, when a run is started with an input', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'approval', input: { plan: 'sing' } });
    await runOf(threadId);
    await started(threadId, { assistant_id: 'approval', input: 'please' });
    const stream = await events(threadId);
    await stream.until(isEnd);
    await stream.until(isEnd);
    expect(stream.of('values').at(-1)?.data.params.data.log).toContain('answered "please"');
    stream.leave();
  });

  it('answers two questions at once', async () => {
    const threadId = await ada.thread();
    const stream = await events(threadId);
    await started(threadId, { assistant_id: 'two-questions', input: {} });
    await stream.until(isEnd);
    const ids = stream.of('input.requested').map(({ data }) => data.params.data.interrupt_id);
    expect(ids).toHaveLength(2);
    const responses = ids.map((interrupt_id) => ({ namespace: [], interrupt_id, response: 'yes' }));
    expect((await command(threadId, 'input.respond', { responses })).body).toMatchObject({ type: 'success' });
    expect(await untilEnd(stream)).toMatchObject({ event: 'completed' });
    stream.leave();
  });

  it('answers one of two questions, and then the other', async () => {
    const threadId = await ada.thread();
    const stream = await events(threadId);
    await started(threadId, { assistant_id: 'two-questions', input: {} });
    await stream.until(isEnd);
    const ids = stream.of('input.requested').map(({ data }) => data.params.data.interrupt_id);
    const ends = [];
    for (const interrupt_id of ids) {
      await command(threadId, 'input.respond', { interrupt_id, response: 'yes' });
      ends.push((await untilEnd(stream)).event);
    }
    expect(ends).toEqual(['interrupted', 'completed']);
    expect(stream.of('values').at(-1)?.data.params.data.log).toEqual(
      expect.arrayContaining(['left: yes', 'right: yes']),
    );
    stream.leave();
  });

  it('is accepted once, of two answers to one question', async () => {
    const threadId = await ada.thread();
    const stream = await events(threadId);
    await started(threadId, { assistant_id: 'approval', input: { plan: 'jump' } });
    await stream.until(isEnd);
    const interrupt_id = stream.of('input.requested')[0]?.data.params.data.interrupt_id;
    const answers = await Promise.all(
      ['yes', 'no'].map((response) => command(threadId, 'input.respond', { interrupt_id, response })),
    );
    expect(answers.map(({ body }) => body.error ?? body.type).sort()).toEqual([
      'no_such_interrupt',
      'success',
    ]);
    stream.leave();
  });

  it('waits for the run that asks, when the answer is early', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'approval', input: { plan: 'wait' } });
    const stream = await events(threadId, { channels: ['input'] });
    const { data } = await stream.until(({ event }) => event === 'input.requested');
    const { interrupt_id } = data.params.data;
    const { body } = await command(threadId, 'input.respond', { interrupt_id, response: 'yes' });
    expect(body).toMatchObject({ type: 'success' });
    stream.leave();
  });

  it('goes on from an earlier checkpoint, and says when there is no such checkpoint', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'chat', input: says('first') });
    const frames = await runOf(threadId);
    const first = frames.find(({ event }) => event === 'checkpoints')?.data.params.data.id;
    const fork = { configurable: { thread_id: threadId, checkpoint_id: first } };
    const runId = await started(threadId, { assistant_id: 'chat', input: says('other'), config: fork });
    await ada.ended(threadId, runId);
    const { values } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(values.messages.map(({ content }: { content: string }) => content)).not.toContain(
      'You said: first',
    );
    const missing = { configurable: { checkpoint_id: '1f000000-0000-6000-8000-000000000000' } };
    const refused = await command(threadId, 'run.start', {
      assistant_id: 'chat',
      input: null,
      config: missing,
    });
    expect(refused).toMatchObject({
      status: 200,
      body: { type: 'error', id: 1, error: 'no_such_checkpoint' },
    });
  });

  it('tells the graphs of a run, and the state of one', async () => {
    const threadId = await ada.thread();
    await started(threadId, { assistant_id: 'approval', input: { plan: 'read' } });
    await runOf(threadId);
    const tree = await command(threadId, 'agent.getTree');
    expect(tree.body.result.tree).toEqual({
      namespace: [],
      status: 'interrupted',
      graph_name: 'approval',
      children: [],
    });
    const state = await command(threadId, 'state.get', { namespace: [], keys: ['plan'] });
    expect(state.body.result).toEqual({
      values: { plan: 'read' },
      checkpoint: { id: expect.any(String), ns: '' },
    });
  });

  const bad: [string, unknown, string][] = [
    ['with an unknown method', { id: 1, method: 'run.begin', params: {} }, 'unknown_command'],
    [
      'with a method that needs a socket',
      { id: 1, method: 'subscription.subscribe', params: {} },
      'not_supported',
    ],
    ['with a text as its id', { id: '1', method: 'run.start', params: {} }, 'invalid_argument'],
    ['with a negative id', { id: -1, method: 'run.start', params: {} }, 'invalid_argument'],
    ['without a method', { id: 1 }, 'invalid_argument'],
    ['that is a list', [], 'invalid_argument'],
    ['with a list as its params', { id: 1, method: 'run.start', params: [] }, 'invalid_argument'],
    [
      'with an unknown assistant',
      { id: 1, method: 'run.start', params: { assistant_id: 'none' } },
      'invalid_argument',
    ],
    [
      'with a namespace of 10,000 segments',
      { id: 1, method: 'state.get', params: { namespace: Array(10_000).fill('a') } },
      'invalid_argument',
    ],
    ['that answers nothing', { id: 1, method: 'input.respond', params: {} }, 'invalid_argument'],
    [
      'that answers what was never asked',
      { id: 1, method: 'input.respond', params: { interrupt_id: 'q', response: 1 } },
      'no_such_interrupt',
    ],
    [
      'about a run that is none',
      { id: 1, method: 'agent.getTree', params: { run_id: 'none' } },
      'no_such_run',
    ],
  ];
  it.each(bad)(
    '%s is answered in the words of the protocol and stores nothing',
    async (_name, body, error) => {
      const threadId = await ada.thread();
      const answer = await ada.post(`/threads/${threadId}/commands`, body);
      expect(answer).toMatchObject({
        status: 200,
        body: { type: 'error', error, message: expect.any(String) },
      });
      expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
    },
  );

  it.each(['commands', 'stream/events'])(
    'that is no JSON is refused in the words of the protocol by %s',
    async (path) => {
      const threadId = await ada.thread();
      const answer = await fetch(`${ada.url}/api/langgraph/threads/${threadId}/${path}`, {
        method: 'POST',
        headers: { 'x-api-key': ada.token, 'content-type': 'application/json' },
        body: '{"id": 1,',
      });
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ type: 'error', id: null, error: 'invalid_argument' });
    },
  );

  const badFilters: [string, object][] = [
    ['no channels', {}],
    ['an empty list of channels', { channels: [] }],
    ['a text as namespaces', { channels: ['values'], namespaces: 'a' }],
    ['a namespace of 10,000 segments', { channels: ['values'], namespaces: [Array(10_000).fill('a')] }],
    ['a depth below zero', { channels: ['values'], depth: -1 }],
    ['a text as since', { channels: ['values'], since: '1' }],
  ];
  it.each(badFilters)('a reader with %s is refused with the name of the field', async (_name, filter) => {
    const answer = await ada.post(`/threads/${await ada.thread()}/stream/events`, filter);
    expect(answer).toMatchObject({ status: 422, body: { type: 'error', error: 'invalid_argument' } });
    expect(answer.body.message).toMatch(/channels|namespaces|depth|since/);
  });

  it('of another user finds no thread, and changes nothing', async () => {
    const threadId = await ada.thread();
    for (const method of ['run.start', 'input.respond', 'agent.getTree', 'state.get']) {
      const params = { assistant_id: 'chat', input: says('x'), interrupt_id: 'q' };
      expect((await command(threadId, method, params, bob)).status, method).toBe(404);
    }
    expect((await bob.post(`/threads/${threadId}/stream/events`, { channels: ['values'] })).status).toBe(404);
    expect(await ada.ok('GET', `/threads/${threadId}/runs`)).toEqual([]);
  });

  it('finds no events of a thread that was deleted', async () => {
    const threadId = await ada.thread();
    await ada.call('DELETE', `/threads/${threadId}`);
    expect((await ada.post(`/threads/${threadId}/stream/events`, { channels: ['values'] })).status).toBe(404);
  });
});

function nodeOf(segment: string): string {
  return segment.split(':', 1)[0] ?? '';
}
