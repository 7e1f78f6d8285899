import { dispatchCustomEvent } from '@langchain/core/callbacks/dispatch';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph';
import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import { createAgent, createMiddleware, summarizationMiddleware } from 'langchain';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ScriptedModel, type ScriptedTurn } from '../../../testing/scripted-model.ts';
import { RunObserver } from '../../agents/running/run-observer.ts';
import { awaitLangchainCallbacks } from '../../config/env.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';
import { Journal } from './journal.ts';
import { RunEventStore } from './run-event-store.ts';
import type { RunRecorder } from './run-recorder.ts';

const weather = tool(async ({ city }: { city: string }) => `sunny in ${city}`, {
  name: 'weather',
  description: 'The weather.',
  schema: z.object({ city: z.string() }),
});

const remember = tool(
  async (_input: object, config: { toolCall?: { id?: string } }) =>
    new Command({
      update: {
        messages: [
          new ToolMessage({
            content: 'remembered',
            tool_call_id: config.toolCall?.id ?? '',
            name: 'remember',
          }),
        ],
      },
    }),
  { name: 'remember', description: 'Keeps something.', schema: z.object({}) },
);

const broken = tool(
  async () => {
    throw new Error('no luck');
  },
  { name: 'broken', description: 'Fails.', schema: z.object({}) },
);

/** Its type covers only the models of one provider's packages. */
const summarize = summarizationMiddleware as (options: object) => ReturnType<typeof summarizationMiddleware>;

/** Calls the named tools, then says `done`. */
function callThen(...calls: NonNullable<ScriptedTurn['calls']>): (messages: BaseMessage[]) => ScriptedTurn {
  return (messages) =>
    messages.at(-1)?.getType() === 'tool'
      ? { text: 'done', usage: [20, 2] }
      : { text: '', calls, usage: [10, 5] };
}

interface RunnableGraph {
  invoke(input: unknown, config: object): Promise<unknown>;
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
}

describe('the observer of a run', () => {
  let journal: Journal;
  let recorder: RunRecorder;

  beforeAll(() => awaitLangchainCallbacks());
  beforeEach(async () => {
    const database = await openDatabase({ backend: 'memory' });
    await migrate(database, 'conversation', conversationMigrations);
    const tables = database.withTables<ConversationTables>();
    journal = new Journal({
      storage: new RunEventStore(tables),
      maxTraceBytes: 10_240,
      trackTokens: true,
      now: Date.now,
      onFlushFailed: (error) => expect.fail(String(error)),
    });
    recorder = await journal.recorderFor({
      threadId: 't',
      runId: 'r',
      userId: 'u',
      attempt: 1,
      followUpTo: null,
    });
  });

  const config = (): { callbacks: RunObserver[]; configurable: object } => ({
    callbacks: [new RunObserver(recorder)],
    configurable: { thread_id: 't' },
  });
  const run = async (
    graph: unknown,
    input: unknown = { messages: [new HumanMessage('hello')] },
  ): Promise<BaseMessage[]> => {
    const state = (await (graph as RunnableGraph).invoke(input, config())) as { messages: BaseMessage[] };
    return state.messages;
  };
  const events = async (): Promise<RunEvent[]> => {
    await recorder.flush();
    return journal.events({ user: 'u' }, { threadId: 't', limit: 1_000 });
  };
  const types = async (): Promise<string[]> => (await events()).map(({ event_type }) => event_type);
  const ofType = async (type: string): Promise<RunEvent[]> =>
    (await events()).filter(({ event_type }) => event_type === type);
  const contents = async (type: string): Promise<Record<string, unknown>[]> =>
    (await ofType(type)).map(({ content }) => content as Record<string, unknown>);
  /** The journal and the state contain the same conversation, with the same ids. */
  const expectSameConversation = async (state: BaseMessage[]): Promise<void> => {
    const stored = (await events()).filter(({ category }) => category === 'message');
    const told = state.filter((message) => message.getType() !== 'human');
    expect(stored.map(({ content }) => (content as { id: string }).id)).toEqual(told.map(({ id }) => id));
    expect(told.every(({ id }) => typeof id === 'string')).toBe(true);
  };

  describe('records an agent with a tool', () => {
    const agentWith = (
      answer: (messages: BaseMessage[]) => ScriptedTurn,
      tools: object[] = [weather, remember, broken],
    ) => createAgent({ model: new ScriptedModel('m1', answer), tools: tools as (typeof weather)[] }).graph;

    it('in the order in which things happen', async () => {
      const graph = agentWith(callThen({ name: 'weather', args: { city: 'Rome' }, id: 'call_1' }));
      const state = await run(graph);
      expect(await types()).toEqual([
        'llm_request',
        'llm_response',
        'ai_tool_call',
        'tool_start',
        'tool_end',
        'tool_result',
        'llm_request',
        'llm_response',
        'ai_message',
      ]);
      await expectSameConversation(state);
    });

    it('with pairs of requests and responses, who asked, what it cost and how long it took', async () => {
      await run(agentWith(callThen({ name: 'weather', args: { city: 'Rome' }, id: 'call_1' })));
      expect((await ofType('llm_request')).map(({ metadata }) => metadata)).toEqual([
        { caller: 'lead_agent', llm_call_index: 1, content_is_dict: true },
        { caller: 'lead_agent', llm_call_index: 2, content_is_dict: true },
      ]);
      const [response] = await ofType('llm_response');
      expect(response).toMatchObject({
        category: 'trace',
        content: {
          model: 'm1',
          choices: [
            {
              index: 0,
              message: {
                role: 'assistant',
                tool_calls: [
                  {
                    id: 'call_1',
                    type: 'function',
                    function: { name: 'weather', arguments: '{"city":"Rome"}' },
                  },
                ],
              },
              finish_reason: 'tool_calls',
            },
          ],
          usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
        },
        metadata: {
          caller: 'lead_agent',
          llm_call_index: 1,
          model_name: 'm1',
          latency_ms: expect.any(Number),
          usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
        },
      });
      const [request] = await ofType('llm_request');
      expect(request?.content).toEqual({
        model: 'configured-m1',
        messages: [{ role: 'user', content: 'hello' }],
      });
      expect(recorder.totals()).toMatchObject({
        llm_call_count: 2,
        total_input_tokens: 30,
        total_output_tokens: 7,
        total_tokens: 37,
        lead_agent_tokens: 37,
        message_count: 3,
        last_ai_message: 'done',
        model_name: 'm1',
        token_usage_by_model: '{"m1":{"tokens":37,"input_tokens":30,"output_tokens":7,"calls":2}}',
      });
    });

    it('with the reasons why replies ended, and the results of tools', async () => {
      await run(agentWith(callThen({ name: 'weather', args: { city: 'Rome' }, id: 'call_1' })));
      const [call] = await ofType('ai_tool_call');
      const [answer] = await ofType('ai_message');
      const [result] = await ofType('tool_result');
      const [start] = await ofType('tool_start');
      const [end] = await ofType('tool_end');
      expect(call?.metadata).toMatchObject({
        finish_reason: 'tool_calls',
        model_name: 'm1',
        caller: 'lead_agent',
      });
      expect(answer?.metadata).toMatchObject({ finish_reason: 'stop' });
      expect(result).toMatchObject({
        content: {
          type: 'tool',
          tool_call_id: 'call_1',
          name: 'weather',
          status: 'success',
          content: 'sunny in Rome',
        },
        metadata: { tool_name: 'weather', status: 'success' },
      });
      expect(start?.metadata).toEqual({
        tool_name: 'weather',
        tool_call_id: 'call_1',
        args: '{"city":"Rome"}',
      });
      expect(end).toMatchObject({
        content: 'sunny in Rome',
        metadata: { tool_name: 'weather', tool_call_id: 'call_1', status: 'success' },
      });
    });

    it('that returns an update of the state, and unwraps its message', async () => {
      const state = await run(agentWith(callThen({ name: 'remember', args: {}, id: 'call_2' })));
      expect(await contents('tool_result')).toMatchObject([
        { type: 'tool', tool_call_id: 'call_2', name: 'remember', status: 'success', content: 'remembered' },
      ]);
      await expectSameConversation(state);
    });

    it('that fails, once, with the error that the agent is told', async () => {
      const forgiving = createMiddleware({
        name: 'Forgiving',
        wrapToolCall: async (request, handler) => {
          try {
            return await handler(request);
          } catch (error) {
            return new ToolMessage({
              content: `Sorry: ${(error as Error).message}`,
              tool_call_id: request.toolCall.id ?? '',
              name: request.toolCall.name,
              status: 'error',
            });
          }
        },
      });
      const model = new ScriptedModel('m1', callThen({ name: 'broken', args: {}, id: 'call_3' }));
      const state = await run(createAgent({ model, tools: [broken], middleware: [forgiving] }).graph);
      expect(await types()).toEqual([
        'llm_request',
        'llm_response',
        'ai_tool_call',
        'tool_start',
        'tool_error',
        'tool_result',
        'llm_request',
        'llm_response',
        'ai_message',
      ]);
      expect(await contents('tool_result')).toMatchObject([
        { tool_call_id: 'call_3', name: 'broken', status: 'error', content: 'Sorry: no luck' },
      ]);
      expect((await ofType('tool_error'))[0]).toMatchObject({
        content: 'no luck',
        metadata: { tool_name: 'broken', tool_call_id: 'call_3' },
      });
      await expectSameConversation(state);
    });

    it('that fails and ends the run', async () => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('work', async () => {
          await broken.invoke({ type: 'tool_call', name: 'broken', args: {}, id: 'call_4' });
          return {};
        })
        .addEdge(START, 'work')
        .compile();
      await expect(run(graph)).rejects.toThrow('no luck');
      expect(await contents('tool_result')).toMatchObject([
        { tool_call_id: 'call_4', name: 'broken', status: 'error', content: 'Error: no luck' },
      ]);
    });

    it('that returns the state of an agent, as text and not as the messages in it', async () => {
      const pass = tool(
        async () => ({ messages: [new ToolMessage({ content: 'inner', tool_call_id: 'x' })] }),
        {
          name: 'pass',
          description: 'Passes on.',
          schema: z.object({}),
        },
      );
      const model = new ScriptedModel('m1', callThen({ name: 'pass', args: {}, id: 'call_5' }));
      const state = await run(createAgent({ model, tools: [pass] }).graph);
      expect(await contents('tool_result')).toMatchObject([{ tool_call_id: 'call_5', name: 'pass' }]);
      await expectSameConversation(state);
    });

    it('whose calls come again under the same id', async () => {
      const again = new ScriptedModel('m1', (messages) =>
        messages.filter((message) => message.getType() === 'tool').length < 2
          ? { calls: [{ name: 'weather', args: { city: 'Rome' }, id: 'same' }] }
          : { text: 'done' },
      );
      const state = await run(createAgent({ model: again, tools: [weather] }).graph);
      await expectSameConversation(state);
    });

    it('that is called by a node of the user’s own, which makes the message itself', async () => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('work', async () => {
          const content = await weather.invoke({ city: 'Rome' });
          return { messages: [new ToolMessage({ content, tool_call_id: 'own', name: 'weather' })] };
        })
        .addNode('quiet', async () => {
          await weather.invoke({ city: 'Oslo' });
          return {};
        })
        .addEdge(START, 'work')
        .addEdge('work', 'quiet')
        .compile();
      await run(graph);
      expect(await contents('tool_result')).toMatchObject([
        { content: 'sunny in Rome', tool_call_id: 'own', name: 'weather', status: 'success' },
        { content: 'sunny in Oslo', tool_call_id: null, name: 'weather', status: 'success' },
      ]);
    });

    it('that streams, with one event for each reply', async () => {
      const graph = agentWith(
        callThen({ name: 'weather', args: { city: 'Rome' }, id: 'call_1' }),
      ) as unknown as RunnableGraph;
      const input = { messages: [new HumanMessage('hello')] };
      const streamed = new Set<unknown>();
      for await (const [message] of (await graph.stream(input, {
        ...config(),
        streamMode: 'messages',
      })) as AsyncIterable<[BaseMessage]>) {
        streamed.add(message.id);
      }
      expect(await contents('ai_message')).toMatchObject([{ type: 'ai', content: 'done' }]);
      expect(await contents('ai_tool_call')).toMatchObject([
        { tool_calls: [{ name: 'weather', id: 'call_1' }] },
      ]);
      const stored = (await events()).filter(({ category }) => category === 'message');
      expect(new Set(stored.map(({ content }) => (content as { id: string }).id))).toEqual(streamed);
      expect(recorder.totals()).toMatchObject({ total_tokens: 37, message_count: 3 });
      for (const content of await contents('ai_message'))
        expect(content).not.toHaveProperty('tool_call_chunks');
    });

    it('that calls several tools at once', async () => {
      const calls = ['Rome', 'Oslo', 'Lima'].map((city, index) => ({
        name: 'weather',
        args: { city },
        id: `call_${index}`,
      }));
      await run(agentWith(callThen(...calls)));
      expect((await contents('tool_result')).map(({ tool_call_id: id }) => id).sort()).toEqual([
        'call_0',
        'call_1',
        'call_2',
      ]);
    });

    it('whose model fails', async () => {
      await expect(run(agentWith(() => ({ fails: 'overloaded' })))).rejects.toThrow('overloaded');
      const [failure] = await ofType('llm_error');
      expect(failure).toMatchObject({ category: 'trace', content: 'overloaded' });
    });
  });

  describe('attributes model calls', () => {
    const asking =
      (model: ScriptedModel, options: object = {}) =>
      async (state: { messages: BaseMessage[] }) => ({
        messages: [await model.invoke(state.messages, options)],
      });
    const say = (text: string, usage: [number, number] = [3, 2]) =>
      new ScriptedModel(text, () => ({ text, usage }));

    it('of the root graph to the lead agent, and tagged calls to the caller in the tag', async () => {
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('plain', asking(say('plain')))
        .addNode('tagged', async () => {
          await say('sub').invoke('x', { tags: ['nostream', 'subagent:research'] });
          await say('title').invoke('x', { tags: ['middleware:title'] });
          return {};
        })
        .addEdge(START, 'plain')
        .addEdge('plain', 'tagged')
        .addEdge('tagged', END)
        .compile();
      const state = await run(graph);
      expect((await ofType('llm_response')).map(({ metadata }) => metadata.caller)).toEqual([
        'lead_agent',
        'subagent:research',
        'middleware:title',
      ]);
      expect(await contents('ai_message')).toMatchObject([{ content: 'plain' }]);
      expect(recorder.totals()).toMatchObject({
        lead_agent_tokens: 5,
        subagent_tokens: 5,
        middleware_tokens: 5,
        unknown_tokens: 0,
        total_tokens: 15,
        model_name: 'plain',
      });
      await expectSameConversation(state);
    });

    it('of an agent that runs as a node to an unknown caller, and records what it adds to the conversation', async () => {
      const inner = createAgent({
        model: new ScriptedModel(
          'inner',
          callThen({ name: 'weather', args: { city: 'Rome' }, id: 'call_1' }),
        ),
        tools: [weather],
      });
      const graph = new StateGraph(MessagesAnnotation)
        .addNode('agent', inner.graph as never)
        .addEdge(START, 'agent' as never)
        .compile();
      const state = await run(graph);
      expect((await ofType('llm_response')).map(({ metadata }) => metadata.caller)).toEqual([
        'unknown',
        'unknown',
      ]);
      expect(
        (await events()).filter(({ category }) => category === 'message').map(({ event_type }) => event_type),
      ).toEqual(['ai_tool_call', 'tool_result', 'ai_message']);
      expect(recorder.totals()).toMatchObject({ unknown_tokens: 37, lead_agent_tokens: 0, message_count: 3 });
      await expectSameConversation(state);
    });

    it('of an agent within a tool to that sub-agent, and keeps its words out of the conversation', async () => {
      const helper = createAgent({ name: 'helper', model: say('secret thoughts'), tools: [] });
      const ask = tool(
        async () => {
          const state = await helper.invoke({ messages: [new HumanMessage('help')] });
          return `helper says: ${state.messages.at(-1)?.text}`;
        },
        { name: 'ask', description: 'Asks.', schema: z.object({}) },
      );
      const model = new ScriptedModel('lead', callThen({ name: 'ask', args: {}, id: 'call_1' }));
      const state = await run(createAgent({ model, tools: [ask] }).graph);
      expect((await ofType('llm_response')).map(({ metadata }) => metadata.caller)).toEqual([
        'lead_agent',
        'subagent:helper',
        'lead_agent',
      ]);
      expect(await contents('ai_message')).toMatchObject([{ content: 'done' }]);
      expect(recorder.totals()).toMatchObject({ subagent_tokens: 5, lead_agent_tokens: 37 });
      await expectSameConversation(state);
    });
  });

  it('records messages that a node makes without a model, but not those that were there before', async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('echo', async (state) => ({
        messages: [
          ...state.messages,
          new AIMessage('from a class'),
          { role: 'assistant', content: 'from a record' },
        ],
      }))
      .addEdge(START, 'echo')
      .compile();
    const state = await run(graph, {
      messages: [
        new AIMessage({ id: 'earlier', content: 'earlier' }),
        new HumanMessage({ id: 'h', content: 'hello' }),
      ],
    });
    expect(await contents('ai_message')).toMatchObject([
      { content: 'from a class' },
      { content: 'from a record' },
    ]);
    await expectSameConversation(state.filter(({ id }) => id !== 'earlier'));
  });

  it('does not change a state that holds records of its own, and finds what is new in it', async () => {
    const Talk = Annotation.Root({ messages: Annotation<{ role: string; content: string }[]>() });
    const add = (content: string) => async (state: typeof Talk.State) => ({
      messages: [...state.messages, { role: 'assistant', content }],
    });
    const graph = new StateGraph(Talk)
      .addNode('one', add('first'))
      .addNode('two', add('second'))
      .addEdge(START, 'one')
      .addEdge('one', 'two')
      .compile();
    const state = await run(graph, { messages: [{ role: 'user', content: 'hello' }] });
    expect(state).toEqual([
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'first' },
      { role: 'assistant', content: 'second' },
    ]);
    expect(await contents('ai_message')).toMatchObject([{ content: 'first' }, { content: 'second' }]);
  });

  it('records a summary in both forms, and what it replaced', async () => {
    const summarizer = new ScriptedModel('small', () => ({ text: 'they talked', usage: [7, 1] }));
    const graph = createAgent({
      model: new ScriptedModel('m1', () => ({ text: 'fine' })),
      tools: [],
      middleware: [summarize({ model: summarizer, trigger: { messages: 4 }, keep: { messages: 1 } })],
    }).graph;
    const input = ['a', 'b', 'c', 'd'].map((id, index) =>
      index % 2 === 0 ? new HumanMessage({ id, content: id }) : new AIMessage({ id, content: id }),
    );
    await run(graph, { messages: [...input, new HumanMessage({ id: 'e', content: 'e' })] });
    const [summary] = await ofType('middleware:summarize');
    const [again] = await ofType('summarization');
    expect(summary).toMatchObject({
      category: 'middleware',
      content: { role: 'system', content: expect.stringContaining('they talked') },
      metadata: { replaced_count: 4 },
    });
    expect(again).toMatchObject({
      category: 'middleware:summarize',
      content: summary?.content,
      metadata: { replaced_count: 4, replaced_message_ids: ['a', 'b', 'c', 'd'] },
    });
    expect((await ofType('llm_response')).map(({ metadata }) => metadata.caller)).toEqual([
      'middleware:summarize',
      'lead_agent',
    ]);
    expect(await contents('ai_message')).toMatchObject([{ content: 'fine' }]);
    expect(recorder.totals()).toMatchObject({ middleware_tokens: 8 });
  });

  it('records a title that middleware sets', async () => {
    const titles = createMiddleware({
      name: 'TitleMiddleware',
      stateSchema: z.object({ title: z.string().optional() }),
      afterModel: async () => {
        const model = new ScriptedModel('small', () => ({ text: 'A talk', usage: [4, 2] }));
        const { text } = await model.invoke('title?', { tags: ['middleware:title'] });
        return { title: text };
      },
    });
    const graph = createAgent({
      model: new ScriptedModel('m1', () => ({ text: 'fine' })),
      tools: [],
      middleware: [titles],
    }).graph;
    await run(graph);
    expect(await types()).toEqual([
      'llm_request',
      'llm_response',
      'ai_message',
      'llm_request',
      'llm_response',
      'middleware:title',
    ]);
    expect((await events()).at(-1)).toMatchObject({
      category: 'middleware',
      content: {
        name: 'TitleMiddleware',
        hook: 'after_model',
        action: 'generate_title',
        changes: { title: 'A talk' },
      },
    });
  });

  it('records a title that middleware around the call of the model sets', async () => {
    const titles = createMiddleware({
      name: 'TitleMiddleware',
      wrapModelCall: async (request, handler) => {
        await handler(request);
        return new Command({ update: { title: 'A talk' } });
      },
      stateSchema: z.object({ title: z.string().optional() }),
    });
    const model = new ScriptedModel('m1', () => ({ text: 'fine' }));
    await run(createAgent({ model, tools: [], middleware: [titles] }).graph);
    expect((await ofType('middleware:title')).map(({ content }) => content)).toEqual([
      {
        name: 'TitleMiddleware',
        hook: 'wrap_model_call',
        action: 'generate_title',
        changes: { title: 'A talk' },
      },
    ]);
    expect(await contents('ai_message')).toMatchObject([{ content: 'fine' }]);
  });

  it('records custom events of the agent under their name', async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('work', async () => {
        await dispatchCustomEvent('progress', { done: 3 });
        await dispatchCustomEvent('note', 'plain');
        return {};
      })
      .addEdge(START, 'work')
      .compile();
    await run(graph);
    expect(
      (await events()).map(({ event_type, category, content, metadata }) => [
        event_type,
        category,
        content,
        metadata,
      ]),
    ).toEqual([
      ['progress', 'trace', '', { done: 3 }],
      ['note', 'trace', '', { data: 'plain' }],
    ]);
  });

  it('records a tool that waits for a human neither as failed nor as done', async () => {
    const approve = tool(async () => `approved: ${interrupt('ok?')}`, {
      name: 'approve',
      description: 'Asks a human.',
      schema: z.object({}),
    });
    const model = new ScriptedModel('m1', callThen({ name: 'approve', args: {}, id: 'call_1' }));
    const graph = createAgent({ model, tools: [approve], checkpointer: new MemorySaver() })
      .graph as unknown as RunnableGraph;
    await graph.invoke({ messages: [new HumanMessage('hello')] }, config());
    expect(await types()).toEqual(['llm_request', 'llm_response', 'ai_tool_call', 'tool_start']);
    await graph.invoke(new Command({ resume: 'yes' }), config());
    expect(await contents('tool_result')).toMatchObject([
      { content: 'approved: yes', tool_call_id: 'call_1' },
    ]);
    expect(await contents('ai_message')).toHaveLength(1);
  });

  it('works with values that have no JSON form', async () => {
    const odd: Record<string, unknown> = { big: 10n, when: new Date(0), nothing: undefined };
    odd.self = odd;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode('work', async () => {
        await dispatchCustomEvent('odd', odd);
        return { messages: [new AIMessage({ content: 'x', additional_kwargs: odd })] };
      })
      .addEdge(START, 'work')
      .compile();
    await run(graph);
    expect(await types()).toEqual(['odd', 'ai_message']);
  });
});
