import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';
import type { Frame } from './support/conversation-stream.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

const namesOf = (frames: Frame[]) => frames.map(({ event }) => event);
const kindsOf = (frames: Frame[]) => [...new Set(namesOf(frames))].sort();

async function framesOf(body: object): Promise<Frame[]> {
  const stream = await ada.stream(await ada.thread(), { assistant_id: 'chat', ...body });
  return stream.rest();
}

describe('the stream of a run', () => {
  it('gives its address, relative to the mount, and its content type', async () => {
    for (const mount of ['/api', '/api/langgraph'] as const) {
      const caller = ada.at(mount);
      const threadId = await caller.thread();
      const stream = await caller.stream(threadId, { assistant_id: 'chat', input: says('x') });
      const [metadata] = await stream.rest();
      const runId = metadata?.data.run_id;
      expect(metadata).toEqual({
        event: 'metadata',
        data: { run_id: runId, thread_id: threadId, attempt: 1 },
        id: '1',
      });
      const { headers } = stream;
      expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(headers.get('cache-control')).toBe('no-cache, no-transform');
      expect(headers.get('x-accel-buffering')).toBe('no');
      expect(headers.get('content-location')).toBe(`${mount}/threads/${threadId}/runs/${runId}`);
      expect(headers.get('location')).toBe(`/threads/${threadId}/runs/${runId}/stream`);
    }
  });

  it('of a run without a thread names a thread only where the thread stays', async () => {
    const body = { assistant_id: 'chat', input: says('x') };
    const headersOf = async (mount: '/api' | '/api/langgraph', more: object = {}) => {
      const stream = await ada.at(mount).open('POST', '/runs/stream', { body: { ...body, ...more } });
      const [metadata] = await stream.rest();
      const { run_id: run, thread_id: thread } = metadata?.data ?? {};
      const of = (name: string) => stream.headers.get(name)?.replace(run, 'RUN').replace(thread, 'THREAD');
      return [of('content-location'), of('location') ?? null];
    };
    expect(await headersOf('/api/langgraph')).toEqual(['/runs/RUN', null]);
    const named = (mount: string) => [`${mount}/threads/THREAD/runs/RUN`, '/threads/THREAD/runs/RUN/stream'];
    expect(await headersOf('/api/langgraph', { on_completion: 'keep' })).toEqual(named('/api/langgraph'));
    expect(await headersOf('/api')).toEqual(named('/api'));
  });

  it('has ids that count from 1, and no frame for its end', async () => {
    const frames = await framesOf({ input: says('count to 5'), stream_mode: ['values', 'messages-tuple'] });
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_, index) => String(index + 1)));
    expect(kindsOf(frames)).toEqual(['messages', 'metadata', 'values']);
  });

  it('has the mode values by default', async () => {
    for (const requested of [{}, { stream_mode: [] }, { stream_mode: null }, { stream_mode: 'values' }]) {
      const frames = await framesOf({ input: says('x'), ...requested });
      expect(namesOf(frames)).toEqual(['metadata', 'values', 'values']);
      expect(frames.at(-1)?.data.messages).toMatchObject([{ type: 'human' }, { type: 'ai' }]);
    }
  });

  it.each<[string, string[]]>([
    ['values', ['metadata', 'values']],
    ['updates', ['metadata', 'updates']],
    ['messages-tuple', ['messages', 'metadata']],
    ['messages', ['messages/complete', 'messages/metadata', 'messages/partial', 'metadata']],
    ['custom', ['custom', 'metadata']],
    ['events', ['events', 'metadata']],
    ['debug', ['debug', 'metadata']],
    ['tasks', ['metadata', 'tasks']],
    ['checkpoints', ['checkpoints', 'metadata']],
    ['tools', ['metadata', 'tools']],
  ])('in the mode %s has these events and no others', async (stream_mode, kinds) => {
    expect(kindsOf(await framesOf({ input: says('look up cats'), stream_mode }))).toEqual(kinds);
  });

  it('in several modes has the frames of all, in the order in which things happen', async () => {
    const modes = ['values', 'updates', 'messages-tuple', 'custom', 'tasks', 'checkpoints', 'debug', 'tools'];
    const frames = await framesOf({ input: says('look up cats'), stream_mode: modes });
    expect(kindsOf(frames)).toEqual(
      [
        'checkpoints',
        'custom',
        'debug',
        'messages',
        'metadata',
        'tasks',
        'tools',
        'updates',
        'values',
      ].sort(),
    );
    const names = namesOf(frames);
    expect(names[0]).toBe('metadata');
    expect(names.indexOf('messages')).toBeLessThan(names.indexOf('updates'));
    expect(frames.filter(({ event }) => event === 'updates').map(({ data }) => Object.keys(data))).toEqual([
      ['model'],
      ['tools'],
      ['model'],
    ]);
  });

  it('ignores unknown modes', async () => {
    const frames = await framesOf({ input: says('x'), stream_mode: ['updates', 'telepathy', 'a2a'] });
    expect(namesOf(frames)).toEqual(['metadata', 'updates']);
    expect(namesOf(await framesOf({ input: says('x'), stream_mode: ['telepathy'] }))).toEqual([
      'metadata',
      'values',
      'values',
    ]);
  });

  it('sends a message piece by piece, under the id of the stored message', async () => {
    const frames = await framesOf({ input: says('count to 4'), stream_mode: ['messages-tuple', 'values'] });
    const pieces = frames.filter(({ event }) => event === 'messages').map(({ data }) => data);
    expect(pieces.map(([piece]) => piece.content).join('')).toBe('1 2 3 4');
    expect(pieces.length).toBeGreaterThanOrEqual(4);
    const [human, reply] = frames.at(-1)?.data.messages ?? [];
    expect(human.type).toBe('human');
    expect(new Set(pieces.map(([piece]) => piece.id))).toEqual(new Set([reply.id]));
    for (const [piece, metadata] of pieces) {
      expect(piece.type).toMatch(/^(ai|AIMessageChunk)$/);
      expect(metadata).toMatchObject({
        langgraph_node: 'model',
        graph_id: 'chat',
        run_id: expect.any(String),
      });
    }
  });

  it('in the mode messages sends the message as far as it is known', async () => {
    const frames = await framesOf({ input: says('count to 3'), stream_mode: 'messages' });
    const partial = frames.filter(({ event }) => event === 'messages/partial').map(({ data }) => data[0]);
    const texts = partial.map(({ content }) => content);
    expect(texts.slice(0, 3)).toEqual(['1', '1 2', '1 2 3']);
    const complete = frames.filter(({ event }) => event === 'messages/complete').flatMap(({ data }) => data);
    expect(complete).toMatchObject([
      { type: 'human', content: 'count to 3' },
      { type: 'ai', content: '1 2 3', id: partial[0].id },
    ]);
  });

  it('contains what a tool writes, and the messages of its call', async () => {
    const frames = await framesOf({ input: says('look up cats'), stream_mode: ['custom', 'values'] });
    expect(frames.filter(({ event }) => event === 'custom').map(({ data }) => data)).toEqual([
      { type: 'looking', topic: 'cats' },
    ]);
    expect(frames.at(-1)?.data.messages).toMatchObject([
      { type: 'human', content: 'look up cats' },
      { type: 'ai', tool_calls: [{ name: 'look_up', args: { topic: 'cats' }, id: 'call_look_up' }] },
      { type: 'tool', tool_call_id: 'call_look_up', name: 'look_up', content: 'all about cats' },
      { type: 'ai', content: 'Found: all about cats' },
    ]);
  });

  it('names the subgraph, but only when the client asks for subgraphs', async () => {
    const stream_mode = ['updates', 'messages-tuple'];
    const own = await framesOf({ assistant_id: 'nested', input: says('hi'), stream_mode });
    expect(own.filter(({ event }) => event.startsWith('updates')).map(({ event }) => event)).toEqual([
      'updates',
    ]);
    const all = await framesOf({
      assistant_id: 'nested',
      input: says('hi'),
      stream_mode,
      stream_subgraphs: true,
    });
    const updates = all.filter(({ event }) => event.startsWith('updates')).map(({ event }) => event);
    const inner = expect.stringMatching(/^updates\|inner:[0-9a-f-]+$/);
    expect(updates).toEqual([inner, inner, 'updates']);
    expect(updates[0]).toBe(updates[1]);
  });

  it('of a run that fails ends with its error, with status 200', async () => {
    const frames = await framesOf({ assistant_id: 'failing', input: says('go') });
    expect(namesOf(frames)).toEqual(['metadata', 'values', 'values', 'error']);
    expect(frames.at(-1)?.data).toEqual({ error: 'CustomError', message: 'Boo!', name: 'CustomError' });
  });
});

describe('reading a stream again', () => {
  it('returns the same frames, from the start or after the last one that was seen', async () => {
    const threadId = await ada.thread();
    const original = await (
      await ada.stream(threadId, {
        assistant_id: 'chat',
        input: says('count to 9'),
        stream_mode: 'messages-tuple',
      })
    ).rest();
    const runId = original[0]?.data.run_id;
    for (const start of [undefined, '-1', '0', 'nonsense']) {
      expect(await ada.replay(threadId, runId, start), `after ${start}`).toEqual(original);
    }
    expect(await ada.replay(threadId, runId, '4')).toEqual(original.slice(4));
    expect(await ada.replay(threadId, runId, original.at(-1)?.id)).toEqual([]);
    expect(await (await ada.open('GET', `/runs/${runId}/stream`)).rest()).toEqual(original);
  });

  it('continues live for many readers, each at its own place', async () => {
    const gate = closeGate('many-readers');
    const threadId = await ada.thread();
    const first = await ada.stream(threadId, {
      assistant_id: 'chat',
      input: says('count to 6 at gate many-readers before 4'),
      stream_mode: ['messages-tuple', 'values'],
    });
    const runId = (await first.next())?.data.run_id;
    await gate.reached;
    const path = `/threads/${threadId}/runs/${runId}/stream`;
    const late = await ada.open('GET', path);
    const middle = await ada.open('GET', path, { headers: { 'last-event-id': '3' } });
    const narrow = await ada.open('GET', `${path}?stream_mode=values`);
    expect((await late.next())?.event).toBe('metadata');
    gate.open();
    const all = await first.rest();
    expect(await late.rest()).toEqual(all);
    expect(await middle.rest()).toEqual(all.slice(3));
    expect(await narrow.rest()).toEqual(all.filter(({ event }) => event !== 'messages'));
  });

  it('of a run whose frames are no longer kept returns its final values', async () => {
    const short = await startConversation({ conversation: { stream_retention: 0 } });
    try {
      const threadId = await short.ada.thread();
      const values = await short.ada.wait(threadId, { assistant_id: 'chat', input: says('x') });
      const [run] = await short.ada.ok('GET', `/threads/${threadId}/runs`);
      const frames = await short.ada.replay(threadId, run.run_id);
      expect(frames.at(-1)).toMatchObject({ event: 'values', data: values });
      expect(kindsOf(frames)).toEqual(['values']);
    } finally {
      await short.close();
    }
  });

  it('that was too large to keep reports the gap, and continues after it', async () => {
    const small = await startConversation({ conversation: { stream_buffer: 64 * 1024 } });
    try {
      const threadId = await small.ada.thread();
      const values = await small.ada.wait(threadId, { assistant_id: 'chat', input: says('count to 2000') });
      expect(values.messages.at(-1).content.endsWith(' 2000')).toBe(true);
      const stream = await small.ada.stream(threadId, {
        assistant_id: 'chat',
        input: says('count to 2000'),
        stream_mode: 'messages-tuple',
      });
      const all = await stream.rest();
      const runId = all[0]?.data.run_id;
      const [gap, ...kept] = await small.ada.replay(threadId, runId, '1');
      expect(gap).toEqual({
        event: 'gap',
        data: {
          code: 'stream_replay_gap',
          run_id: runId,
          requested_event_id: '1',
          earliest_available_event_id: kept[0]?.id,
          latest_available_event_id: all.at(-1)?.id,
          recovery: 'reload_durable_state',
        },
      });
      expect(Number(kept[0]?.id)).toBeGreaterThan(2);
      expect(kept).toEqual(all.slice(-kept.length));
    } finally {
      await small.close();
    }
  });
});

describe('a client that disconnects', () => {
  it('ends a run with on_disconnect: cancel only when it has created the run', async () => {
    const gate = closeGate('leaving');
    const threadId = await ada.thread();
    const maker = await ada.stream(threadId, {
      assistant_id: 'chat',
      input: says('count to 4 at gate leaving before 3'),
      on_disconnect: 'cancel',
      stream_mode: 'messages-tuple',
    });
    const runId = (await maker.next())?.data.run_id;
    await gate.reached;
    const path = `/threads/${threadId}/runs/${runId}`;
    const observer = await ada.open('GET', `${path}/stream`);
    await observer.next();
    observer.leave();
    const asked = await ada.open('GET', `${path}/stream?cancel_on_disconnect=0`);
    await asked.next();
    asked.leave();
    const left = new AbortController();
    const joining = ada
      .call('GET', `${path}/join`, { signal: left.signal })
      .catch((error: Error) => error.name);
    left.abort();
    expect(await joining).toBe('AbortError');
    expect(await ada.ok('GET', path)).toMatchObject({ status: 'running' });
    maker.leave();
    expect(await ada.ended(threadId, runId)).toMatchObject({ status: 'interrupted', error: null });
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle' });
  });

  it.each([undefined, 'continue'])('does not affect a run with on_disconnect: %s', async (on_disconnect) => {
    const name = `staying-${on_disconnect}`;
    const gate = closeGate(name);
    const threadId = await ada.thread();
    const maker = await ada.stream(threadId, {
      assistant_id: 'chat',
      input: says(`count to 4 at gate ${name} before 3`),
      ...(on_disconnect && { on_disconnect }),
    });
    const runId = (await maker.next())?.data.run_id;
    await gate.reached;
    maker.leave();
    gate.open();
    expect(await ada.ended(threadId, runId)).toMatchObject({ status: 'success', last_ai_message: '1 2 3 4' });
  });

  it('may ask that the run ends with it', async () => {
    const gate = closeGate('guest');
    const threadId = await ada.thread();
    const { run_id } = await ada.run(threadId, {
      assistant_id: 'chat',
      input: says('count to 4 at gate guest before 3'),
    });
    await gate.reached;
    const guest = await ada.open('GET', `/threads/${threadId}/runs/${run_id}/stream?cancel_on_disconnect=1`);
    await guest.next();
    guest.leave();
    expect(await ada.ended(threadId, run_id)).toMatchObject({ status: 'interrupted' });
  });

  it('ends a run that it waits for with on_disconnect: cancel', async () => {
    const gate = closeGate('waiting');
    const threadId = await ada.thread();
    const left = new AbortController();
    const waiting = ada
      .call('POST', `/threads/${threadId}/runs/wait`, {
        body: {
          assistant_id: 'chat',
          input: says('count to 4 at gate waiting before 3'),
          on_disconnect: 'cancel',
        },
        signal: left.signal,
      })
      .catch((error: Error) => error.name);
    await gate.reached;
    left.abort();
    expect(await waiting).toBe('AbortError');
    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(await ada.ended(threadId, run.run_id)).toMatchObject({ status: 'interrupted' });
  });
});
