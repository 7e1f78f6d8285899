import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, Send, START, StateGraph } from '@langchain/langgraph';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { createAgent } from 'langchain';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { checkpointMigrations } from '../../agents/checkpoints/migrations.ts';
import { Checkpointer } from '../../agents/checkpoints/saver.ts';
import type { AgentGraph } from '../../agents/loading/agents.ts';
import type { AgentRunRequest } from '../../agents/run-contract/agent-run.ts';
import { GraphRunner } from '../../agents/running/graph-runner.ts';
import { awaitLangchainCallbacks } from '../../config/env.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';
import { type EventBackend, openEventStorage } from './create-journal.ts';
import { Journal } from './journal.ts';
import type { RunRecorder } from './run-recorder.ts';

type Durability = AgentRunRequest['durability'];

class Killed extends Error {}

/** Flushes the recorded events at moments that a graph chooses, so that many stored events are covered by no checkpoint. */
interface Bench {
  recorder: RunRecorder | undefined;
}

const flushNow = async (bench: Bench): Promise<void> => bench.recorder?.flush();

function say(bench: Bench, text: string) {
  const model = new ScriptedModel('m', () => ({ text, usage: [1, 1] }));
  return async (): Promise<{ messages: BaseMessage[] }> => {
    const message = await model.invoke([new HumanMessage(text)]);
    await flushNow(bench);
    return { messages: [message] };
  };
}

function agentWithTool(bench: Bench, name: string) {
  const look = tool(
    async () => {
      await flushNow(bench);
      return 'seen';
    },
    { name: 'look', description: 'Looks.', schema: z.object({}) },
  );
  const model = new ScriptedModel(name, (messages) =>
    messages.at(-1)?.getType() === 'tool'
      ? { text: `${name} is done`, usage: [2, 2] }
      : { calls: [{ name: 'look', args: {}, id: `${name}_${messages.length}` }], usage: [2, 2] },
  );
  return createAgent({ name, model, tools: [look] }).graph;
}

/** Two nodes at once, an agent as a node, a node without a model, several tasks of one node, and one more at the end. */
function graphOfManyParts(bench: Bench): unknown {
  return new StateGraph(MessagesAnnotation)
    .addNode('left', say(bench, 'left'))
    .addNode('right', async () => {
      const first = await say(bench, 'right')();
      const second = await say(bench, 'right again')();
      return { messages: [...first.messages, ...second.messages] };
    })
    .addNode('agent', agentWithTool(bench, 'inner') as never)
    .addNode('echo', async () => {
      await flushNow(bench);
      return { messages: [new AIMessage('echo')] };
    })
    .addNode('worker', async (state: unknown) =>
      say(bench, `worker ${(state as { number: number }).number}`)(),
    )
    .addNode('last', say(bench, 'last'))
    .addEdge(START, 'left')
    .addEdge(START, 'right')
    .addEdge(['left', 'right'] as never, 'agent' as never)
    .addEdge('agent' as never, 'echo' as never)
    .addConditionalEdges(
      'echo' as never,
      (() => [1, 2, 3].map((number) => new Send('worker', { number }))) as never,
    )
    .addEdge('worker' as never, 'last' as never)
    .addEdge('last' as never, END)
    .compile();
}

/** An agent that calls two tools at once, one of which asks an agent of its own. */
function agentWithSubAgent(bench: Bench): unknown {
  const helper = agentWithTool(bench, 'helper');
  const ask = tool(
    async () => {
      const state = await helper.invoke({ messages: [new HumanMessage('help')] });
      await flushNow(bench);
      return `helper: ${state.messages.at(-1)?.text}`;
    },
    { name: 'ask', description: 'Asks.', schema: z.object({}) },
  );
  const look = tool(async () => 'seen', { name: 'look', description: 'Looks.', schema: z.object({}) });
  const model = new ScriptedModel('lead', (messages) =>
    messages.at(-1)?.getType() === 'tool'
      ? { text: 'lead is done', usage: [3, 3] }
      : {
          calls: [
            { name: 'ask', args: {}, id: 'call_ask' },
            { name: 'look', args: {}, id: 'call_look' },
          ],
          usage: [3, 3],
        },
  );
  return createAgent({ model, tools: [ask, look] }).graph;
}

const graphs = { 'a graph of many parts': graphOfManyParts, 'an agent with a sub-agent': agentWithSubAgent };

describe('a run that is killed', () => {
  const folder = temporaryFolder();
  const opened: Database<unknown>[] = [];
  beforeAll(() => awaitLangchainCallbacks());
  afterAll(async () => {
    for (const database of opened) await database.close();
    folder.remove();
  });

  const newGateway = async (
    backend: EventBackend,
    makeGraph: (bench: Bench) => unknown,
    durability: Durability,
  ) => {
    const raw = await openDatabase({ backend: 'memory' });
    opened.push(raw);
    await migrate(raw, 'checkpointer', checkpointMigrations);
    await migrate(raw, 'conversation', conversationMigrations);
    const database = raw.withTables<ConversationTables>();
    const journal = new Journal({
      storage: openEventStorage({ backend, database, home: `${folder.path}/${opened.length}` }),
      maxTraceBytes: 10_240,
      trackTokens: true,
      now: Date.now,
      onFlushFailed: () => undefined,
    });
    const bench: Bench = { recorder: undefined };
    const graph = makeGraph(bench) as AgentGraph & { withConfig(config: object): AgentGraph };
    const checkpointer = new Checkpointer(raw);
    const runner = new GraphRunner({
      checkpointer: async () => checkpointer,
      ownCode: { during: (_caller, work) => work() },
      agents: {
        graph: async (_id, { checkpointer: own }) =>
          Object.assign(graph.withConfig({}), own && { checkpointer: own }),
      },
    });

    /** Returns how many units it has committed, and whether it has reached its end. */
    const attempt = async (
      number: number,
      unitsToLive: number,
    ): Promise<{ units: number; hasEnded: boolean }> => {
      let units = 0;
      const recorder = await journal.recorderFor({
        threadId: 't',
        runId: 'r',
        userId: 'u',
        attempt: number,
        followUpTo: null,
        confirm: async () => {
          if (units >= unitsToLive) throw new Killed();
          units += 1;
        },
      });
      bench.recorder = recorder;
      const input = { messages: [{ type: 'human', content: 'hello', id: 'human' }] };
      try {
        recorder.recordStart(input);
        await recorder.write();
        const end = await runner.run(requestWith({ attempt: number, input, durability }), {
          signal: new AbortController().signal,
          recorder,
          frame: () => undefined,
        });
        if (end.outcome === 'failed') throw new Error(`${end.error.name}: ${end.error.message}`);
        recorder.recordEnd({ status: 'success' });
        await recorder.write(...end.rest);
        return { units, hasEnded: true };
      } catch (error) {
        if (unitsToLive === Number.POSITIVE_INFINITY) throw error;
        return { units, hasEnded: false };
      } finally {
        recorder.close();
      }
    };
    const events = (): Promise<RunEvent[]> => journal.events({ user: 'u' }, { threadId: 't', limit: 10_000 });
    const state = async (): Promise<BaseMessage[]> => {
      const tuple = await checkpointer.getTuple({ configurable: { thread_id: 't' } });
      return tuple?.checkpoint.channel_values.messages as BaseMessage[];
    };
    return { attempt, events, state, totals: () => bench.recorder?.totals() };
  };
  type Gateway = Awaited<ReturnType<typeof newGateway>>;

  /** Every message of the state is in the journal once, and the journal holds no other messages. */
  const expectWhole = async (gateway: Gateway, when: string): Promise<void> => {
    const events = await gateway.events();
    const stored = events
      .filter(({ category }) => category === 'message')
      .map(({ content }) => (content as { id: string }).id);
    const state = (await gateway.state()).map(({ id }) => id);
    expect([...stored].sort(), when).toEqual([...state].sort());
    const starts = events.filter(({ event_type }) => event_type === 'run_end');
    expect(starts, when).toHaveLength(1);
    expect(gateway.totals()?.message_count, when).toBe(stored.length);
    for (const name of ['llm_request', 'llm_response']) {
      const indexes = events
        .filter(({ event_type }) => event_type === name)
        .map(({ metadata }) => metadata.llm_call_index);
      expect(new Set(indexes).size, `${when}: ${name}`).toBe(indexes.length);
    }
  };

  const backends = [
    { backend: 'db', durabilities: ['async', 'sync', 'exit'] },
    { backend: 'jsonl', durabilities: ['async'] },
  ] as const;
  describe.each(backends)('with events in $backend', ({ backend, durabilities }) => {
    describe.each(Object.entries(graphs))('%s', (_title, makeGraph) => {
      it.each(durabilities)(
        'at any commit ends with each message once (%s)',
        async (durability) => {
          const whole = await newGateway(backend, makeGraph, durability);
          const { units } = await whole.attempt(1, Number.POSITIVE_INFINITY);
          await expectWhole(whole, 'without a kill');
          expect(units).toBeGreaterThan(3);
          // The default is tested at each commit, the others at some of them, so that this stays fast.
          const stride = durability === 'async' ? 1 : 3;
          for (let killAt = 0; killAt < units; killAt += stride) {
            const gateway = await newGateway(backend, makeGraph, durability);
            const first = await gateway.attempt(1, killAt);
            if (first.hasEnded) continue;
            await gateway.attempt(2, Number.POSITIVE_INFINITY);
            await expectWhole(gateway, `killed after ${killAt} commits`);
          }
        },
        60_000,
      );

      it('several times in a row still records each message once', async () => {
        for (const unitsToLive of [6, 8, 10]) {
          const gateway = await newGateway(backend, makeGraph, 'async');
          let attempts = 0;
          for (let hasEnded = false; !hasEnded && attempts < 50; ) {
            attempts += 1;
            ({ hasEnded } = await gateway.attempt(attempts, unitsToLive + (attempts % 3)));
          }
          await expectWhole(gateway, `each attempt lives for about ${unitsToLive} commits`);
        }
      });
    });
  });
});

function requestWith(fields: Pick<AgentRunRequest, 'attempt' | 'input' | 'durability'>): AgentRunRequest {
  return {
    runId: 'r',
    threadId: 't',
    userId: 'u',
    assistantId: 'g',
    graphId: 'g',
    agentName: null,
    command: null,
    checkpoint: null,
    config: {},
    context: {},
    metadata: {},
    interruptBefore: null,
    interruptAfter: null,
    streamModes: ['values'],
    streamSubgraphs: false,
    isSecondProtocol: false,
    ...fields,
  };
}
