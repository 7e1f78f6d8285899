import { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { RunnableLambda } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  DeltaChannel,
  GraphInterrupt,
  InMemoryStore,
  interrupt,
  type LangGraphRunnableConfig,
  MemorySaver,
  MessagesAnnotation,
  messagesDeltaReducer,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { AsyncBatchedStore, type PendingWrite, TASKS } from '@langchain/langgraph-checkpoint';
import { Client } from '@langchain/langgraph-sdk';
import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';
import { type AgentMiddleware, createAgent, createMiddleware, summarizationMiddleware } from 'langchain';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedModel } from '../../testing/scripted-model.ts';
import { awaitLangchainCallbacks } from '../config/env.ts';

/** Returns what a failing test tells the person who takes a new version. */
function lookAt(files: string): string {
  return `LangChain or LangGraph changed what ${files} relies on: see docs/adr/0042-what-libraries-do-not-promise.md`;
}

type Config = LangGraphRunnableConfig;
const State = Annotation.Root({ answer: Annotation<unknown>, again: Annotation<unknown> });
const thread = { configurable: { thread_id: 't' } };

/** A graph of one node. */
function graphOf(node: (state: object, config: Config) => unknown, checkpointer = new MemorySaver()) {
  return new StateGraph(State)
    .addNode('ask', node as () => object)
    .addEdge(START, 'ask')
    .compile({ checkpointer });
}

beforeAll(() => awaitLangchainCallbacks());

describe('callbacks', () => {
  it('tell a handler the type of a run before its name', async () => {
    const told: unknown[][] = [];
    const handler = Object.assign(BaseCallbackHandler.fromMethods({}), {
      awaitHandlers: true,
      handleChainStart: (...given: unknown[]) => void told.push(given),
    });
    await RunnableLambda.from(() => 1).invoke({}, { callbacks: [handler], runName: 'its name' });
    expect(told[0]?.[7], lookAt('running/run-observer.ts (handleChainStart)')).toBe('its name');
  });

  it('tell a handler the id of the call that a tool answers', async () => {
    const told: unknown[][] = [];
    const handler = Object.assign(BaseCallbackHandler.fromMethods({}), {
      awaitHandlers: true,
      handleToolStart: (...given: unknown[]) => void told.push(given),
    });
    const act = tool(() => 'done', { name: 'act', schema: z.object({}) });
    await act.invoke({ type: 'tool_call', id: 'call_1', name: 'act', args: {} }, { callbacks: [handler] });
    expect(told[0]?.slice(6, 8), lookAt('running/run-observer.ts (handleToolStart)')).toEqual([
      'act',
      'call_1',
    ]);
  });

  it('have ended before the step that they tell of goes on', async () => {
    const order: string[] = [];
    const handler = Object.assign(BaseCallbackHandler.fromMethods({}), {
      awaitHandlers: true,
      handleChainEnd: async () => {
        await Promise.resolve();
        order.push('told');
      },
    });
    await RunnableLambda.from(() => 1).invoke({}, { callbacks: [handler] });
    order.push('went on');
    expect(order, lookAt('running/run-observer.ts (awaitHandlers)')).toEqual(['told', 'went on']);
  });

  it('that throw end the run when they say so', async () => {
    const handler = Object.assign(BaseCallbackHandler.fromMethods({}), {
      awaitHandlers: true,
      raiseError: true,
      handleChainEnd: () => {
        throw new Error('the disk is full');
      },
    });
    const run = graphOf(() => ({ answer: 1 })).invoke({}, { ...thread, callbacks: [handler] });
    await expect(run, lookAt('running/run-observer.ts (raiseError)')).rejects.toThrow('the disk is full');
  });

  it('name the node, its step and the namespace of its task in the metadata', async () => {
    let metadata: Record<string, unknown> = {};
    await graphOf((_state, config) => {
      metadata = config.metadata ?? {};
      return {};
    }).invoke({ answer: 1 }, thread);
    expect(metadata, lookAt('running/task-origins.ts')).toMatchObject({
      langgraph_node: 'ask',
      langgraph_step: 1,
      langgraph_checkpoint_ns: expect.stringMatching(/^ask:[0-9a-f-]{36}$/),
    });
  });
});

describe('agents of LangChain', () => {
  it('name the node of a middleware by the middleware and its hook', () => {
    const middleware = createMiddleware({ name: 'Mine', beforeModel: () => undefined });
    const agent = createAgent({
      model: new ScriptedModel('m', () => ({ text: 'x' })),
      middleware: [middleware],
    });
    expect(Object.keys(agent.graph.nodes), lookAt('running/model-caller.ts (middlewareOf)')).toContain(
      'Mine.before_model',
    );
  });

  it('note their name and the origin of a summary', async () => {
    const seen: unknown[] = [];
    const handler = Object.assign(BaseCallbackHandler.fromMethods({}), {
      awaitHandlers: true,
      handleChatModelStart: (...given: unknown[]) => void seen.push(given[6]),
    });
    const model = new ScriptedModel('m', () => ({ text: 'x' }));
    const settings = { model, trigger: { messages: 2 }, keep: { messages: 1 } };
    // Its types are made for another zod than ours; what runs is the same.
    const summary = summarizationMiddleware(settings as never) as unknown as AgentMiddleware;
    const agent = createAgent({ model, middleware: [summary], name: 'lead' });
    const messages = [new HumanMessage('one'), new AIMessage('two'), new HumanMessage('three')];
    const state = await agent.invoke({ messages }, { callbacks: [handler] });
    const place = lookAt(
      'running/model-caller.ts, running/observed-middleware.ts, middleware/summarization.ts',
    );
    expect(seen, place).toMatchObject([{ lc_source: 'summarization' }, { lc_agent_name: 'lead' }]);
    expect(state.messages[0], place).toMatchObject({
      type: 'human',
      additional_kwargs: { lc_source: 'summarization' },
    });
  });
});

describe('questions', () => {
  it('end a step with an error that is marked as none', () => {
    expect(
      new GraphInterrupt().is_bubble_up,
      lookAt('running/run-observer.ts, subagents/run-subagent.ts'),
    ).toBe(true);
  });

  it('are asked again with their answers in the scratchpad of the config', async () => {
    const hadAnswer: boolean[] = [];
    const graph = graphOf((_state, { configurable }) => {
      const { resume, nullResume } = configurable?.__pregel_scratchpad ?? {};
      hadAnswer.push(resume?.length > 0 || nullResume !== undefined);
      return { answer: interrupt('sure?') };
    });
    await graph.invoke({}, thread);
    await graph.invoke(new Command({ resume: 'yes' }), thread);
    expect(hadAnswer, lookAt('tools/ask-human.ts (hasAnswer)')).toEqual([false, true]);
  });

  it('are stored under names that a state without its graph is read by', async () => {
    const saver = new MemorySaver();
    await graphOf(() => ({ answer: interrupt('sure?') }), saver).invoke({ answer: 1 }, thread);
    const tuple = await saver.getTuple(thread);
    const place = lookAt('state/stored-state.ts, state/open-questions.ts, checkpoints/run-progress.ts');
    expect(Object.keys(tuple?.checkpoint.channel_values ?? {}), place).toContain('branch:to:ask');
    expect(tuple?.pendingWrites, place).toMatchObject([
      [expect.any(String), '__interrupt__', [{ value: 'sure?' }]],
    ]);
  });
});

describe('graphs', () => {
  it('are known by a mark, from whatever copy of LangGraph they come', () => {
    expect(
      graphOf(() => ({})),
      lookAt('loading/load-agent.ts (compiled)'),
    ).toMatchObject({ lg_is_pregel: true });
  });

  it('keep in each channel its reducer, under the name that it is exported by, and the maker of its first value', () => {
    const place = lookAt('state/channel-schema.ts');
    const { spec } = MessagesAnnotation;
    expect(spec.messages, place).toMatchObject({
      operator: expect.objectContaining({ name: 'messagesStateReducer' }),
      initialValueFactory: expect.any(Function),
    });
    expect(new DeltaChannel(messagesDeltaReducer), place).toMatchObject({
      reducer: expect.objectContaining({ name: 'messagesDeltaReducer' }),
    });
  });

  it('inside others listen to their own signal when the outer signals are taken away', async () => {
    const inner = new StateGraph(State)
      .addNode('wait', (_state, { signal }) => {
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason)),
        );
      })
      .addEdge(START, 'wait')
      .compile();
    const stop = new AbortController();
    const outer = graphOf(async (_state, config) => {
      const configurable = { ...config.configurable, __pregel_abort_signals: undefined };
      const inside = inner.invoke({ answer: 1 }, { ...config, configurable, signal: stop.signal });
      stop.abort(new Error('too late'));
      await expect(inside, lookAt('subagents/run-subagent.ts (configOf)')).rejects.toThrow('too late');
      return { answer: 'stopped' };
    });
    expect(await outer.invoke({ answer: 1 }, thread)).toMatchObject({ answer: 'stopped' });
  });

  it('stream the messages of inner graphs only with subgraphs', async () => {
    const model = new ScriptedModel('m', () => ({ text: 'x' }));
    const inner = new StateGraph(MessagesAnnotation)
      .addNode('talk', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addEdge(START, 'talk')
      .compile();
    const outer = new StateGraph(MessagesAnnotation)
      .addNode('inner', inner)
      .addEdge(START, 'inner')
      .compile();
    const chunks: unknown[] = [];
    const options = { streamMode: ['messages' as const], subgraphs: true };
    for await (const chunk of await outer.stream({ messages: 'hi' }, options)) chunks.push(chunk);
    expect(chunks[0], lookAt('running/stream-modes.ts (add)')).toEqual([
      [expect.stringMatching(/^inner:[0-9a-f-]{36}$/)],
      'messages',
      expect.anything(),
    ]);
  });

  it('name the checkpoint of each state before it when the options have a version', async () => {
    const told: unknown[] = [];
    const streamMode = ['values', 'updates'] as 'values'[];
    const options = { ...thread, streamMode, subgraphs: true, version: 'v2' };
    const chunks = await graphOf(() => ({ answer: 2 })).stream({ answer: 1 }, options);
    for await (const chunk of chunks as AsyncIterable<unknown>) {
      const [, mode, payload] = chunk as [string[], string, unknown];
      if (mode !== 'updates') told.push([mode, payload]);
    }
    const name = { id: expect.any(String), step: expect.any(Number), source: 'loop' };
    expect(told, lookAt('running/graph-runner.ts, running/stream-modes.ts')).toMatchObject([
      ['checkpoints', name],
      ['values', { answer: 1 }],
      ['checkpoints', name],
      ['values', { answer: 2 }],
    ]);
  });

  it('take a Send of another copy of LangGraph as a change of the channel of tasks', async () => {
    const graph = graphOf((state) => ({ again: state }));
    const update = [[TASKS, new Send('ask', { answer: 'sent' })]] as [string, unknown][];
    const state = await graph.invoke(new Command({ update }), thread);
    expect(state.again, lookAt('state/graph-command.ts (withSends)')).toEqual({ answer: 'sent' });
  });

  it('hand the changes of a command to the checkpointer under no task, before they apply them', async () => {
    class Watched extends MemorySaver {
      readonly calls: string[] = [];
      override async putWrites(config: Config, writes: PendingWrite[], taskId: string): Promise<void> {
        this.calls.push(taskId);
        await super.putWrites(config, writes, taskId);
      }
    }
    const saver = new Watched();
    const graph = graphOf(() => ({ answer: 1 }), saver);
    await graph.invoke({ answer: 0 }, thread);
    saver.calls.length = 0;
    await graph.invoke(new Command({ update: { again: 2 }, goto: 'ask' }), thread);
    expect(saver.calls[0], lookAt('running/run-checkpointer.ts (putWrites)')).toBe(
      '00000000-0000-0000-0000-000000000000',
    );
  });

  it('keep settings whose key begins with two underscores out of their checkpoints', async () => {
    const saver = new MemorySaver();
    const configurable = { ...thread.configurable, __ours: 'secret', theirs: 'plain' };
    await graphOf(() => ({ answer: 1 }), saver).invoke({ answer: 0 }, { configurable });
    const stored = JSON.stringify(await saver.getTuple(thread));
    expect(stored, lookAt('run-handle.ts (runHandleKey)')).not.toContain('secret');
  });
});

describe('messages and stores', () => {
  it('of LangChain bear a mark, and are stored by the fields that they were made of', () => {
    const message = new AIMessage('hi');
    message.id = 'given';
    message.lc_kwargs.id = 'given';
    const place = lookAt('running/observed-messages.ts, running/known-ids.ts, state/wire-values.ts');
    expect(Symbol.for('langchain.message') in message, place).toBe(true);
    expect(message.toJSON(), place).toMatchObject({ kwargs: { id: 'given', content: 'hi' } });
  });

  it('of runs are a queue whose methods graph-store.ts replaces', async () => {
    const place = lookAt('store/graph-store.ts (handOnAtOnce)');
    const methods = ['start', 'stop', 'batch', 'get', 'search', 'put', 'delete'];
    expect(
      methods.filter((name) => !Object.hasOwn(AsyncBatchedStore.prototype, name)),
      place,
    ).toEqual([]);
    let given: unknown;
    const store = new InMemoryStore();
    await graphOf((_state, config) => {
      given = config.store;
      return {};
    }).invoke({ answer: 1 }, { ...thread, store } as object);
    expect(given, place).toBeInstanceOf(AsyncBatchedStore);
  });
});

describe("the SDK's Auth", () => {
  it('keeps its handlers in a public field, by the names that they were given', () => {
    const place = lookAt('loading/own-auth.ts (cacheKey)');
    const [authenticate, onRead] = [async () => 'ada', () => true];
    const auth = new Auth().authenticate(authenticate).on('threads:read', onRead).on('*', onRead);
    expect(Object.entries(auth), place).toEqual([
      ['~handlerCache', { authenticate, callbacks: { 'threads:read': onRead, '*': onRead } }],
    ]);
    const error = new HTTPException(403, { message: 'no', headers: { a: 'b' } });
    expect(error, place).toMatchObject({ status: 403, message: 'no', headers: { a: 'b' } });
    expect(HTTPException.name, place).toBe('HTTPException');
  });
});

describe('the client of the SDK', () => {
  const [fetchKey, urlKey] = [Symbol.for('langgraph_api:fetch'), Symbol.for('langgraph_api:url')];
  const names = globalThis as { [name: symbol]: unknown };
  const before = [names[fetchKey], names[urlKey]];
  afterEach(() => {
    [names[fetchKey], names[urlKey]] = before;
  });

  it('asks for its address where a method is called, and not when the request leaves its queue', async () => {
    const asked: string[] = [];
    let caller = 'nobody';
    class Address extends String {
      override toString(): string {
        return `http://${caller}.invalid`;
      }
    }
    names[urlKey] = new Address();
    names[fetchKey] = async (url: string) => {
      asked.push(new URL(url).hostname);
      return Response.json([]);
    };
    const client = new Client({ callerOptions: { maxConcurrency: 1 } });
    const calls = ['ada', 'bob', 'eve'].map((name) => {
      caller = name;
      return client.threads.search();
    });
    caller = 'nobody';
    await Promise.all(calls);
    expect(asked, lookAt('own-code/caller-address.ts')).toEqual([
      'ada.invalid',
      'bob.invalid',
      'eve.invalid',
    ]);
  });
});
