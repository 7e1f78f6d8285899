import { isAIMessage } from '@langchain/core/messages';
import {
  MessagesAnnotation,
  type ProtocolEvent,
  START,
  StateGraph,
  StreamChannel,
} from '@langchain/langgraph';
import { createAgent } from 'langchain';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AgentFixture,
  type AnyGraph,
  openAgentFixture,
  type Ran,
} from '../../../testing/agent-fixture.ts';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { StreamTransformers, type TransformerFactory } from './stream-transformers.ts';

let fixture: AgentFixture | undefined;
afterEach(() => fixture?.close());

const asProtocol = {
  isSecondProtocol: true,
  streamSubgraphs: true,
  streamModes: ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks'],
};

function talker(transformers: TransformerFactory[]): AnyGraph {
  const model = new ScriptedModel('model', () => ({ text: 'Hi' }));
  return new StateGraph(MessagesAnnotation)
    .addNode('talk', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addEdge(START, 'talk')
    .compile({ transformers });
}

async function run(graph: AnyGraph, options = {}): Promise<Ran> {
  fixture = await openAgentFixture({ graph });
  const input = { messages: [{ role: 'user', content: 'hello', id: 'h1' }] };
  return fixture.run('graph', { input, ...asProtocol, ...options });
}

/** A transformer that keeps what it is shown. */
function watcher(): { seen: ProtocolEvent[]; ends: unknown[]; factory: TransformerFactory } {
  const seen: ProtocolEvent[] = [];
  const ends: unknown[] = [];
  const factory: TransformerFactory = () => ({
    init: () => ({}),
    process: (event) => seen.push(event) > 0,
    finalize: () => void ends.push('finalized'),
    fail: (error) => void ends.push(error),
  });
  return { seen, ends, factory };
}

const sent = ({ frames }: Ran): unknown[] => frames.filter(({ event }) => event.startsWith('event'));

async function faults(): Promise<unknown[]> {
  const events = (await fixture?.journal.events({ user: 'user' }, { threadId: 'thread', limit: 100 })) ?? [];
  return events.filter(({ event_type: type }) => type === 'transformer_error').map(({ content }) => content);
}

describe('the stream transformers of a graph', () => {
  it('are shown the events of a run in their order, with the objects of the graph', async () => {
    const { seen, ends, factory } = watcher();
    await run(talker([factory]));
    const told = seen.map(({ method, params }) => {
      const { event } = params.data as { event?: string };
      return event === undefined ? method : `${method} ${event}`;
    });
    expect(told.filter((each) => !each.startsWith('tasks'))).toEqual([
      'lifecycle running',
      'checkpoints',
      'values',
      'messages message-start',
      'messages content-block-start',
      'messages content-block-delta',
      'messages content-block-delta',
      'messages content-block-finish',
      'messages message-finish',
      'updates',
      'checkpoints',
      'values',
      'lifecycle completed',
    ]);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
    const states = seen.filter(({ method }) => method === 'values').map(({ params }) => params.data);
    const { messages } = states.at(-1) as typeof MessagesAnnotation.State;
    expect(messages.map((message) => isAIMessage(message))).toEqual([false, true]);
    expect(ends).toEqual(['finalized']);
  });

  it('send what their channels and promises say, and events of their own', async () => {
    const factory: TransformerFactory = () => {
      const channel = StreamChannel.remote<string>('pieces');
      const hidden = StreamChannel.local<string>();
      let push: (event: ProtocolEvent) => void;
      return {
        init: () => ({ channel, hidden, total: Promise.resolve(7) }),
        onRegister: (emitter) => {
          push = (event) => emitter.push(['inner'], event);
        },
        process: (event) => {
          const { event: what } = event.params.data as { event?: string };
          if (event.method === 'messages' && what === 'message-finish') channel.push('said');
          if (event.method === 'lifecycle' && what === 'completed')
            push({ ...event, method: 'lifecycle', params: { ...event.params, data: { event: 'noted' } } });
          hidden.push('not sent');
          return true;
        },
      };
    };
    const { seen, factory: other } = watcher();
    const ran = await run(talker([factory, other]));
    expect(ran.end.outcome).toBe('done');
    expect(sent(ran)).toEqual([
      {
        event: expect.stringMatching(/^event\|talk:/),
        data: { method: 'custom', data: { name: 'pieces', payload: 'said' } },
      },
      { event: 'event|inner', data: { method: 'lifecycle', data: { event: 'noted' } } },
      { event: 'event', data: { method: 'custom', data: { name: 'total', payload: 7 } } },
    ]);
    expect(seen.filter(({ params }) => params.namespace.includes('inner'))).toHaveLength(1);
  });

  it('leave the run and each other alone when they throw', async () => {
    const { seen, factory: other } = watcher();
    const breaks = (how: object): TransformerFactory => {
      return () => ({ init: () => ({}), process: () => true, ...how }) as ReturnType<TransformerFactory>;
    };
    const fails = (where: string) => () => {
      throw new Error(`broken in ${where}`);
    };
    const ran = await run(
      talker([
        breaks({ init: fails('init') }),
        breaks({ process: fails('process') }),
        breaks({ finalize: fails('finalize') }),
        breaks({ init: () => ({ lost: Promise.reject(new Error('broken in a promise')) }) }),
        other,
      ]),
    );
    expect(ran.end.outcome).toBe('done');
    expect(seen.length).toBeGreaterThan(10);
    expect(await faults()).toEqual(
      ['init', 'process', 'finalize', 'a promise'].map(
        (where) => `A stream transformer of the graph has failed: broken in ${where}`,
      ),
    );
  });

  it('are told when the run fails', async () => {
    const { ends, factory } = watcher();
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('talk', () => {
        throw new Error('no voice');
      })
      .addEdge(START, 'talk')
      .compile({ transformers: [factory] });
    expect((await run(graph)).end).toMatchObject({ outcome: 'failed', error: { message: 'no voice' } });
    expect(ends).toMatchObject([{ message: 'no voice' }]);
    expect(await faults()).toEqual([]);
  });

  it('do nothing in a run that is read over the first protocol', async () => {
    const { seen, factory } = watcher();
    await run(talker([factory]), { isSecondProtocol: false });
    expect(seen).toEqual([]);
  });

  it('of agents of LangChain send nothing', async () => {
    const model = new ScriptedModel('model', () => ({ text: 'Hi' }));
    const ran = await run(createAgent({ model, tools: [] }).graph);
    expect(ran.end.outcome).toBe('done');
    expect(sent(ran)).toEqual([]);
    expect(await faults()).toEqual([]);
  });
});

describe('a final value that does not come', () => {
  const never: TransformerFactory = () => ({
    init: () => ({ value: new Promise(() => {}) }),
    process: () => true,
  });

  function open(factory: TransformerFactory): { transformers: StreamTransformers; told: unknown[] } {
    const told: unknown[] = [];
    const transformers = new StreamTransformers({
      factories: [factory],
      runId: 'r',
      graphName: 'graph',
      send: (event) => told.push(event),
      onFault: (error) => told.push(error),
      patienceMs: 1,
    });
    return { transformers, told };
  }

  it('is given up after a while', async () => {
    const { transformers, told } = open(never);
    await transformers.end(new AbortController().signal);
    expect(told).toMatchObject([{ name: 'TimeoutError' }]);
  });

  it('is not waited for when the run is stopped', async () => {
    const { transformers, told } = open(never);
    await transformers.end(AbortSignal.abort());
    expect(told).toEqual([]);
  });
});
