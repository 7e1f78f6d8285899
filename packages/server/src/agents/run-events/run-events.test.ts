import { describe, expect, it } from 'vitest';
import { type EventMethod, eventMethods, type ProtocolEvent } from './protocol-event.ts';
import { RunEvents } from './run-events.ts';

type Given = [event: string, data: unknown];

const everything = new Set(eventMethods);
const atMs = 1_000;

function eventsOf(frames: readonly Given[], methods: ReadonlySet<EventMethod> = everything) {
  const events = new RunEvents({ runId: 'r', graphName: 'chat', admission: 7, methods });
  const made = frames.flatMap(([event, data], index) =>
    events.add({ event, id: index + 1, atMs }, JSON.stringify(data)),
  );
  return { events, made };
}

const told = ({ method, namespace, data }: ProtocolEvent) => [method, namespace.join('|'), JSON.parse(data)];
const ended = { status: 'success', error: null, atMs } as const;

const metadata = {
  langgraph_checkpoint_ns: 'model:1',
  langgraph_node: 'model',
  ls_provider: 'tests',
  ls_model_name: 'm',
};
const piece = (fields: object, about: object = metadata): Given => [
  'messages',
  [{ type: 'ai', id: 'a', content: '', tool_call_chunks: [], ...fields }, about],
];

describe('the events of a run', () => {
  it('begin with the run and end with how it ended', () => {
    const { events, made } = eventsOf([['metadata', { run_id: 'r' }]]);
    expect(made.map(told)).toEqual([['lifecycle', '', { event: 'running', graph_name: 'chat' }]]);
    expect(events.end(ended).map(told)).toEqual([
      ['lifecycle', '', { event: 'completed', graph_name: 'chat' }],
    ]);
  });

  it('have a number that names the run and the frame, and ids that name the run where it begins or ends', () => {
    const { events, made } = eventsOf([
      ['metadata', {}],
      ['values', { a: 1 }],
    ]);
    expect(made.map(({ seq, eventId }) => [seq, eventId])).toEqual([
      [7_000_000_001, 'synth:r:7000000001'],
      [7_000_000_002, '7000000002:values:0'],
    ]);
    expect(events.end(ended)[0]).toMatchObject({ seq: 7_000_000_003, eventId: 'synth:r:7000000003' });
  });

  it('have the same ids for a reader that wants fewer of them', () => {
    const frames: Given[] = [
      ['metadata', {}],
      ['values|sub:1', { a: 1 }],
      ['updates|sub:1', { inner: { a: 1 } }],
      piece({ content: 'x' }),
      ['updates', { model: { a: 2 } }],
    ];
    const all = eventsOf(frames).made;
    for (const method of eventMethods) {
      const some = eventsOf(frames, new Set([method])).made;
      expect(some.map(({ eventId }) => eventId)).toEqual(
        all.filter((event) => event.method === method).map(({ eventId }) => eventId),
      );
    }
  });

  it('contain what pieces of a message add, block by block, until its node has ended', () => {
    const { made } = eventsOf([
      piece({ additional_kwargs: { reasoning_content: 'Hm' } }),
      piece({ content: 'Let' }),
      piece({ content: ' me.' }),
      piece({ tool_call_chunks: [{ index: 0, id: 'c', name: 'look', args: '{"q":' }] }),
      piece({
        tool_call_chunks: [{ index: 0, args: '"cats"}' }],
        usage_metadata: { input_tokens: 1, output_tokens: 2 },
      }),
      ['updates', { model: { messages: [] } }],
    ]);
    const messages = made.filter(({ method }) => method === 'messages');
    expect(messages.every(({ namespace, node }) => namespace.join() === 'model:1' && node === 'model')).toBe(
      true,
    );
    const args = '{"q":"cats"}';
    expect(messages.map(({ data }) => JSON.parse(data)).map(({ run_id: _message, ...data }) => data)).toEqual(
      [
        { event: 'message-start', id: 'a', role: 'ai', metadata: { provider: 'tests', model: 'm' } },
        { event: 'content-block-start', index: 0, content: { type: 'reasoning', reasoning: '' } },
        { event: 'content-block-delta', index: 0, delta: { type: 'reasoning-delta', reasoning: 'Hm' } },
        { event: 'content-block-finish', index: 0, content: { type: 'reasoning', reasoning: 'Hm' } },
        { event: 'content-block-start', index: 1, content: { type: 'text', text: '' } },
        { event: 'content-block-delta', index: 1, delta: { type: 'text-delta', text: 'Let' } },
        { event: 'content-block-delta', index: 1, delta: { type: 'text-delta', text: ' me.' } },
        { event: 'content-block-finish', index: 1, content: { type: 'text', text: 'Let me.' } },
        {
          event: 'content-block-start',
          index: 2,
          content: { type: 'tool_call_chunk', id: 'c', name: 'look', args: '' },
        },
        {
          event: 'content-block-delta',
          index: 2,
          delta: {
            type: 'block-delta',
            fields: { type: 'tool_call_chunk', id: 'c', name: 'look', args: '{"q":' },
          },
        },
        {
          event: 'content-block-delta',
          index: 2,
          delta: { type: 'block-delta', fields: { type: 'tool_call_chunk', id: 'c', name: 'look', args } },
        },
        {
          event: 'content-block-finish',
          index: 2,
          content: { type: 'tool_call', id: 'c', name: 'look', args: { q: 'cats' } },
        },
        { event: 'message-finish', usage: { input_tokens: 1, output_tokens: 2 } },
      ],
    );
  });

  it('tell a message that came as a whole at once, and leave out what tools return', () => {
    const { made } = eventsOf([
      ['messages', [{ type: 'ai', id: 'w', content: 'Done.' }, metadata]],
      ['messages', [{ type: 'tool', id: 't', content: 'all about cats' }, metadata]],
    ]);
    expect(made.map(({ data }) => JSON.parse(data).event)).toEqual([
      'message-start',
      'content-block-start',
      'content-block-delta',
      'content-block-finish',
      'message-finish',
    ]);
  });

  it('take calls and usage from what the node wrote, when the model did not send them in pieces', () => {
    const whole = {
      id: 'a',
      content: 'Looking',
      tool_calls: [{ id: 'c', name: 'look', args: { q: 1 } }],
      usage_metadata: { total_tokens: 3 },
    };
    const { made } = eventsOf([piece({ content: 'Looking' }), ['updates', { model: { messages: [whole] } }]]);
    const last = made
      .filter(({ method }) => method === 'messages')
      .slice(-2)
      .map(({ data }) => JSON.parse(data));
    expect(last).toMatchObject([
      {
        event: 'content-block-finish',
        content: { type: 'tool_call', id: 'c', name: 'look', args: { q: 1 } },
      },
      { event: 'message-finish', usage: { total_tokens: 3 } },
    ]);
  });

  it('keep two messages of one node apart', () => {
    const { made } = eventsOf([
      piece({ content: 'x' }),
      piece({ id: 'b', content: 'y' }),
      piece({ content: 'z' }),
    ]);
    const deltas = made
      .map(({ data }) => JSON.parse(data))
      .filter(({ event }) => event === 'content-block-delta');
    expect(deltas.map(({ run_id, index, delta }) => [run_id, index, delta.text])).toEqual([
      ['a', 0, 'x'],
      ['b', 0, 'y'],
      ['a', 0, 'z'],
    ]);
  });

  it('keep the messages of two nodes apart whose pieces take turns', () => {
    const other = { langgraph_checkpoint_ns: 'tools:2|model:3', langgraph_node: 'model' };
    const { made } = eventsOf([
      piece({ content: 'x' }),
      piece({ id: 'b', content: 'y' }, other),
      piece({ content: `,${JSON.stringify(other)}]` }),
      piece({ id: 'b', content: 'z' }, other),
    ]);
    const deltas = made.map((event) => ({ event, data: JSON.parse(event.data) }));
    expect(
      deltas
        .filter(({ data }) => data.event === 'content-block-delta')
        .map(({ event, data }) => [data.run_id, event.namespace.join('|'), data.delta.text]),
    ).toEqual([
      ['a', 'model:1', 'x'],
      ['b', 'tools:2|model:3', 'y'],
      ['a', 'model:1', `,${JSON.stringify(other)}]`],
      ['b', 'tools:2|model:3', 'z'],
    ]);
  });

  it('cost a multiple of long arguments, and not their square', () => {
    const pieces = Array.from({ length: 5_000 }, () =>
      piece({ tool_call_chunks: [{ index: 0, id: 'c', name: 'write', args: 'wordword' }] }),
    );
    const { made } = eventsOf(pieces);
    const bytes = made.reduce((sum, { data }) => sum + data.length, 0);
    expect(bytes).toBeLessThan(12 * 5_000 * 'wordword'.length);
  });

  it('ask each question once, before the values, and end as interrupted', () => {
    const question = { id: 'q', value: 'Sure?' };
    const { events, made } = eventsOf([
      ['updates|sub:1', { __interrupt__: [question] }],
      ['updates', { __interrupt__: [question] }],
      ['values', { __interrupt__: [question] }],
    ]);
    expect(made.map(told).filter(([method]) => method !== 'lifecycle')).toEqual([
      ['input.requested', 'sub:1', { interrupt_id: 'q', payload: 'Sure?' }],
    ]);
    expect(events.end(ended).map(told)).toEqual([
      ['lifecycle', 'sub:1', { event: 'interrupted', graph_name: 'sub' }],
      ['lifecycle', '', { event: 'interrupted', graph_name: 'chat' }],
    ]);
  });

  it('end as interrupted when the graph stopped before a node without a question', () => {
    const { events } = eventsOf([['updates', { __interrupt__: [] }]]);
    expect(events.end(ended).map(told)).toEqual([
      ['lifecycle', '', { event: 'interrupted', graph_name: 'chat' }],
    ]);
  });

  it.each([
    ['interrupted', 'interrupted'],
    ['error', 'failed'],
    ['timeout', 'failed'],
  ] as const)('of a run with the status %s end as %s', (status, event) => {
    const { events } = eventsOf([['metadata', {}], piece({ content: 'half' })]);
    const [message, run] = events.end({ status, error: 'no more', atMs }).map(told);
    expect(message).toMatchObject(['messages', 'model:1', { event: 'error', message: 'no more' }]);
    expect(run).toMatchObject(['lifecycle', '', { event, ...(event === 'failed' && { error: 'no more' }) }]);
  });

  it('pair the name of a checkpoint with its values, and leave out values that are empty', () => {
    const name = { id: 'c1', parent_id: 'c0', step: 1, source: 'loop' };
    const { made } = eventsOf([
      ['values', {}],
      ['checkpoint', name],
      ['values', { a: 1 }],
    ]);
    expect(made.map(told)).toEqual([
      ['checkpoints', '', name],
      ['values', '', { a: 1 }],
    ]);
  });

  it('show the graphs inside a run, the agent of each and the call that it answers', () => {
    const task = { id: 't1', name: 'tools', input: { tool_call: { id: 'call_1' } } };
    const { made } = eventsOf([
      ['tasks', task],
      ['tasks|tools:t1', { id: 't2', name: 'model', input: {}, metadata: { lc_agent_name: 'researcher' } }],
      ['tasks', { id: 't1', name: 'tools', result: [] }],
    ]);
    expect(made.map(told).filter(([method]) => method === 'lifecycle')).toEqual([
      [
        'lifecycle',
        'tools:t1',
        { event: 'started', graph_name: 'researcher', cause: { type: 'toolCall', tool_call_id: 'call_1' } },
      ],
      ['lifecycle', 'tools:t1', { event: 'completed', graph_name: 'researcher' }],
    ]);
  });

  it('use the words of the protocol for tools and custom events', () => {
    const { made } = eventsOf([
      ['tools', { event: 'on_tool_start', toolCallId: 'c', name: 'look', input: { q: 1 } }],
      ['tools', { event: 'on_tool_end', toolCallId: 'c', output: 'cats' }],
      ['custom', { type: 'looking' }],
      ['custom', { name: 'progress', payload: 3 }],
    ]);
    expect(made.map(told)).toEqual([
      ['tools', '', { event: 'tool-started', tool_call_id: 'c', tool_name: 'look', input: { q: 1 } }],
      ['tools', '', { event: 'tool-finished', tool_call_id: 'c', output: 'cats' }],
      ['custom', '', { payload: { type: 'looking' } }],
      ['custom', '', { name: 'progress', payload: 3 }],
    ]);
    expect(made.map(({ name }) => name)).toEqual([undefined, undefined, undefined, 'progress']);
  });

  it('begin again when the run is taken up again', () => {
    const question = { id: 'q', value: 1 };
    const { made } = eventsOf([
      ['metadata', { attempt: 1 }],
      piece({ content: 'half' }),
      ['updates', { __interrupt__: [question] }],
      ['metadata', { attempt: 2 }],
      ['updates', { __interrupt__: [question] }],
    ]);
    expect(made.map(told).map(([method, , data]) => [method, data.event ?? data.interrupt_id])).toEqual([
      ['lifecycle', 'running'],
      ['messages', 'message-start'],
      ['messages', 'content-block-start'],
      ['messages', 'content-block-delta'],
      ['input.requested', 'q'],
      ['messages', 'error'],
      ['lifecycle', 'running'],
      ['input.requested', 'q'],
    ]);
  });

  it('after a gap begin with the stored state, without messages whose beginning is gone', () => {
    const { events } = eventsOf([]);
    const skipped = events.skip({ upTo: 40, values: '{"a":1}', atMs });
    expect(skipped.map(told)).toEqual([
      ['lifecycle', '', { event: 'running', graph_name: 'chat' }],
      ['values', '', { a: 1 }],
    ]);
    const next = (id: number, [event, data]: Given) =>
      events.add({ event, id, atMs }, JSON.stringify(data)).map(told);
    expect(next(41, piece({ content: ' rest' }))).toEqual([]);
    expect(next(42, ['values', { a: 2 }])).toHaveLength(1);
    expect(next(43, piece({ content: ' more' }))).toEqual([]);
    expect(next(44, piece({ id: 'b', content: 'new' }))).toHaveLength(3);
  });
});
