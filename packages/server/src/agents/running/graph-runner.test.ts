import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { tool } from '@langchain/core/tools';
import {
  Annotation,
  Command,
  END,
  interrupt,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
} from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  type AgentFixture,
  type AnyGraph,
  openAgentFixture,
  type Ran,
} from '../../../testing/agent-fixture.ts';
import { ScriptedModel } from '../../../testing/scripted-model.ts';
import { AppError } from '../../lib/app-error.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';

let fixture: AgentFixture;
afterEach(() => fixture.close());

async function open(graphs: Record<string, AnyGraph>): Promise<AgentFixture> {
  fixture = await openAgentFixture(graphs);
  return fixture;
}

const hello = { messages: [{ role: 'user', content: 'hello', id: 'h1' }] };
const eventsOf = ({ frames }: Ran): string[] => frames.map(({ event }) => event);

function messagesOf({ state }: Ran['end']): { id: string; content: string }[] {
  return (state?.values.messages ?? []) as { id: string; content: string }[];
}

function contentsOf(end: Ran['end']): string[] {
  return messagesOf(end).map(({ content }) => content);
}

/** Answers the last message with `echo: …`. */
function echo(): AnyGraph {
  return new StateGraph(MessagesAnnotation)
    .addNode('reply', ({ messages }) => ({
      messages: [new AIMessage({ content: `echo: ${messages.at(-1)?.text}`, id: `a${messages.length}` })],
    }))
    .addEdge(START, 'reply')
    .compile();
}

/** A model that answers in two pieces and then marks the end of its answer. */
function talker(tags: string[] = []): AnyGraph {
  const model = new ScriptedModel('model', () => ({ text: 'Hi' }));
  return new StateGraph(MessagesAnnotation)
    .addNode('talk', async ({ messages }) => ({ messages: [await model.invoke(messages, { tags })] }))
    .addEdge(START, 'talk')
    .compile();
}

const Counted = Annotation.Root({
  count: Annotation<number>({ reducer: (sum, more) => sum + more, default: () => 0 }),
  answers: Annotation<unknown[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});

/** Asks two questions and keeps the answers. */
function asker(): AnyGraph {
  return new StateGraph(Counted)
    .addNode('ask', () => ({ answers: [interrupt('first?'), interrupt('second?')] }))
    .addNode('add', () => ({ count: 1 }))
    .addEdge(START, 'add')
    .addEdge('add', 'ask')
    .addEdge('ask', END)
    .compile();
}

describe('a run', () => {
  it('streams the state after each step and ends with it', async () => {
    const { run } = await open({ echo: echo() });
    const { frames, end } = await run('echo', { input: hello });
    const human = { type: 'human', content: 'hello', id: 'h1', additional_kwargs: {}, response_metadata: {} };
    const ai = expect.objectContaining({ type: 'ai', content: 'echo: hello', id: 'a1', tool_calls: [] });
    expect(frames).toEqual([
      { event: 'values', data: { messages: [human] } },
      { event: 'values', data: { messages: [human, ai] } },
    ]);
    expect(end).toMatchObject({
      outcome: 'done',
      state: { values: { messages: [human, ai] }, next: [], interrupts: {} },
    });
  });

  it('leaves the same state whether or not the client asked for values', async () => {
    const { run, states, thread } = await open({ echo: echo() });
    const { frames, end } = await run('echo', { input: hello, streamModes: ['updates'] });
    const saved = await states.current(thread('echo'));
    expect(eventsOf({ frames, end })).toEqual(['updates']);
    expect(frames[0]?.data).toEqual({
      reply: { messages: [expect.objectContaining({ content: 'echo: hello' })] },
    });
    expect(end).toEqual({
      outcome: 'done',
      state: {
        values: saved?.values,
        next: [],
        interrupts: {},
        checkpointId: saved?.checkpoint?.checkpoint_id,
      },
      rest: [expect.any(Function)],
    });
  });

  it('continues from the state that the run before it left', async () => {
    const { run } = await open({ echo: echo() });
    await run('echo', { input: hello });
    const { end } = await run('echo', {
      input: { messages: [{ role: 'user', content: 'again', id: 'h2' }] },
    });
    expect(end.state?.values.messages).toHaveLength(4);
  });

  it('tells the graph the user who runs it, whatever the request says', async () => {
    let seen: Record<string, unknown> = {};
    const graph = new StateGraph(Counted)
      .addNode('look', (_state, config: RunnableConfig) => {
        seen = { ...config.configurable, metadata: config.metadata };
        return { count: 1 };
      })
      .addEdge(START, 'look')
      .compile();
    const { run } = await open({ graph });
    await run('graph', {
      userId: 'alice',
      input: { count: 1 },
      config: {
        configurable: {
          model: 'm',
          thread_id: 'foreign',
          user_id: 'eve',
          __x: 1,
          langgraph_auth_user_id: 'eve',
        },
      },
      metadata: { topic: 'art', run_id: 'forged', thread_id: 'forged' },
    });
    expect(seen).toMatchObject({
      model: 'm',
      thread_id: 'thread',
      user_id: 'alice',
      graph_id: 'graph',
      assistant_id: 'graph',
      langgraph_auth_user_id: 'alice',
      langgraph_auth_user: { identity: 'alice' },
      metadata: {
        topic: 'art',
        run_id: '00000000-0000-7000-8000-000000000001',
        thread_id: 'thread',
        run_attempt: 1,
      },
    });
    expect(seen).not.toHaveProperty('__x');
  });

  it('passes its context to the graph', async () => {
    const graph = new StateGraph(Counted, z.object({ tone: z.string() }))
      .addNode('look', (_state, { context }) => ({ answers: [context?.tone] }))
      .addEdge(START, 'look')
      .compile();
    const { run } = await open({ graph });
    const { end } = await run('graph', { input: { count: 1 }, context: { tone: 'kind' } });
    expect(end.state?.values.answers).toEqual(['kind']);
  });

  it('fails with the error that the graph throws, and with the state before it', async () => {
    class BrokenError extends Error {
      override name = 'BrokenError';
    }
    const graph = new StateGraph(Counted)
      .addNode('add', () => ({ count: 1 }))
      .addNode('break', () => {
        throw new BrokenError('it is broken');
      })
      .addEdge(START, 'add')
      .addEdge('add', 'break')
      .compile();
    const { run, states, thread } = await open({ graph });
    const { end, frames } = await run('graph', { input: { count: 1 } });
    expect(end).toMatchObject({
      outcome: 'failed',
      error: { name: 'BrokenError', message: 'it is broken' },
      state: { values: { count: 2 }, next: ['break'] },
    });
    expect(frames.map(({ event }) => event)).toEqual(['values', 'values']);
    const saved = await states.current(thread('graph'));
    expect(saved?.tasks).toMatchObject([{ name: 'break', error: 'BrokenError: it is broken' }]);
  });

  it('fails at its recursion limit', async () => {
    const graph = new StateGraph(Counted)
      .addNode('again', () => ({ count: 1 }))
      .addEdge(START, 'again')
      .addEdge('again', 'again')
      .compile();
    const { run } = await open({ graph });
    const { end } = await run('graph', { input: { count: 0 }, config: { recursion_limit: 4 } });
    expect(end).toMatchObject({ outcome: 'failed', error: { name: 'GraphRecursionError' } });
  });

  it('breaks off, and does not fail, when the database cannot be reached for a moment', async () => {
    const { run, checkpointer } = await open({ echo: echo() });
    const away = new AppError('database_unavailable');
    const load = vi.spyOn(checkpointer, 'load').mockRejectedValueOnce(away);
    await expect(run('echo', { input: hello })).rejects.toBe(away);
    expect(load).toHaveBeenCalledTimes(1);
    expect(contentsOf((await run('echo', { input: hello })).end)).toEqual(['hello', 'echo: hello']);
  });

  it('fails when its state cannot be stored', async () => {
    const graph = new StateGraph(Counted)
      .addNode('big', () => ({ answers: [10n] }))
      .addEdge(START, 'big')
      .compile();
    const { run } = await open({ graph });
    const { end } = await run('graph', { input: { count: 0 } });
    expect(end).toMatchObject({
      outcome: 'failed',
      error: { name: 'TypeError', message: expect.stringContaining('bigint') },
    });
  });

  it('fails when there is no such graph', async () => {
    const { run } = await open({});
    const { end } = await run('gone', { input: {} });
    expect(end).toMatchObject({ outcome: 'failed', error: { message: 'Graph gone not found' }, state: null });
  });

  it('stops with the reason of its signal, keeps its checkpoints and stores nothing afterwards', async () => {
    const stop = new AbortController();
    const reason = new Error('enough');
    const graph = new StateGraph(Counted)
      .addNode('add', () => ({ count: 1 }))
      .addNode('hang', () => new Promise<never>(() => stop.abort(reason)))
      .addEdge(START, 'add')
      .addEdge('add', 'hang')
      .compile();
    const { run, states, thread } = await open({ graph });
    await expect(run('graph', { input: { count: 1 }, signal: stop.signal })).rejects.toBe(reason);
    expect(await states.current(thread('graph'))).toMatchObject({ values: { count: 2 }, next: ['hang'] });
  });

  it('is stored when it is stopped with durability exit, too', async () => {
    const stop = new AbortController();
    const graph = new StateGraph(Counted)
      .addNode('add', () => ({ count: 1 }))
      .addNode('hang', () => new Promise<never>(() => stop.abort(new Error('enough'))))
      .addEdge(START, 'add')
      .addEdge('add', 'hang')
      .compile();
    const { run, states, thread } = await open({ graph });
    const running = run('graph', { input: { count: 1 }, signal: stop.signal, durability: 'exit' });
    await expect(running).rejects.toThrow('enough');
    expect(await states.current(thread('graph'))).toMatchObject({ values: { count: 2 }, next: ['hang'] });
  });

  it('has the call of a tool on disk before the tool acts', async () => {
    let stored: unknown;
    const graph = new StateGraph(Counted)
      .addNode('decide', () => ({ answers: ['act'] }))
      .addNode('act', async (_state, config: RunnableConfig) => {
        await runHandleOf(config)?.beforeActing();
        stored = await fixture.states.current(fixture.thread('graph'));
        return { count: 1 };
      })
      .addEdge(START, 'decide')
      .addEdge('decide', 'act')
      .compile();
    const { run } = await open({ graph });
    await run('graph', { input: { count: 0 } });
    expect(stored).toMatchObject({ values: { answers: ['act'] }, next: ['act'] });
  });

  it('does not begin when its signal is already aborted', async () => {
    const { run, states, thread } = await open({ echo: echo() });
    const reason = new Error('too late');
    await expect(run('echo', { input: hello, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect((await states.current(thread('echo')))?.checkpoint).toBeNull();
  });

  it('is thrown out and stores nothing more when another process has it', async () => {
    const { run, states, thread } = await open({ echo: echo() });
    const lost = new Error('not ours');
    await expect(run('echo', { input: hello, confirm: () => Promise.reject(lost) })).rejects.toBe(lost);
    expect((await states.current(thread('echo')))?.checkpoint).toBeNull();
  });

  it.each(['sync', 'async', 'exit'] as const)('is stored with durability %s', async (durability) => {
    const { run, states, thread } = await open({ echo: echo() });
    const { end } = await run('echo', { input: hello, durability });
    const history = await states.history(thread('echo'), { limit: 10 });
    expect(history).toHaveLength(durability === 'exit' ? 1 : 3);
    expect(history[0]?.values).toEqual(end.state?.values);
  });
});

describe('the stream mode', () => {
  it('messages-tuple gives each piece of a message with its metadata, all with one id', async () => {
    const { run } = await open({ talker: talker() });
    const { frames, end } = await run('talker', { input: hello, streamModes: ['messages-tuple'] });
    expect(frames.map(({ event }) => event)).toEqual(['messages', 'messages', 'messages']);
    const id = messagesOf(end)[1]?.id;
    expect(frames.map(({ data: [piece] }) => [piece.type, piece.content, piece.id])).toEqual([
      ['ai', 'H', id],
      ['ai', 'i', id],
      ['ai', '', id],
    ]);
    expect(frames[0]?.data[1]).toMatchObject({
      langgraph_node: 'talk',
      langgraph_step: 1,
      thread_id: 'thread',
      run_id: '00000000-0000-7000-8000-000000000001',
      assistant_id: 'talker',
      graph_id: 'talker',
    });
    expect(Object.keys(frames[0]?.data[1]).filter((key) => key.startsWith('__'))).toEqual([]);
  });

  it('messages gives metadata, the message as it grows, and each complete message, the human one too', async () => {
    const { run } = await open({ talker: talker() });
    const { frames, end } = await run('talker', { input: hello, streamModes: ['messages'] });
    expect(frames.map(({ event }) => event)).toEqual([
      'messages/complete',
      'messages/metadata',
      'messages/partial',
      'messages/partial',
      'messages/partial',
      'messages/complete',
    ]);
    const contents = frames
      .filter(({ event }) => event !== 'messages/metadata')
      .map(({ data }) => data[0].content);
    expect(contents).toEqual(['hello', 'H', 'Hi', 'Hi', 'Hi']);
    expect(frames[1]?.data[String(messagesOf(end)[1]?.id)].metadata.langgraph_node).toBe('talk');
  });

  it.each(['messages-tuple', 'messages'])('%s leaves out a call tagged nostream', async (mode) => {
    const { run } = await open({ talker: talker(['nostream']) });
    const { frames } = await run('talker', { input: hello, streamModes: [mode] });
    expect(frames.map(({ event }) => event).filter((event) => /^messages(\/partial)?$/.test(event))).toEqual(
      mode === 'messages-tuple' ? ['messages'] : [],
    );
    if (mode === 'messages-tuple') expect(frames[0]?.data[0].content).toBe('Hi');
  });

  it('custom gives what a node writes, unchanged', async () => {
    const graph = new StateGraph(Counted)
      .addNode('write', (_state, config) => {
        config.writer?.({ step: 1 });
        config.writer?.('half');
        return { count: 1 };
      })
      .addEdge(START, 'write')
      .compile();
    const { run } = await open({ graph });
    const { frames } = await run('graph', { input: { count: 0 }, streamModes: ['custom', 'values'] });
    expect(frames.filter(({ event }) => event === 'custom').map(({ data }) => data)).toEqual([
      { step: 1 },
      'half',
    ]);
  });

  it('tasks gives starts and ends of tasks', async () => {
    const { run } = await open({ echo: echo() });
    const { frames } = await run('echo', { input: hello, streamModes: ['tasks'] });
    expect(frames.map(({ event }) => event)).toEqual(['tasks', 'tasks']);
    expect(frames[0]?.data).toMatchObject({ name: 'reply', triggers: ['branch:to:reply'], interrupts: [] });
    expect(frames[1]?.data).toMatchObject({
      id: frames[0]?.data.id,
      name: 'reply',
      interrupts: [],
      result: { messages: [{ type: 'ai' }] },
    });
  });

  it('checkpoints and debug name checkpoints and contain nothing of the runtime', async () => {
    const { run, states, thread } = await open({ echo: echo() });
    const { frames } = await run('echo', { input: hello, streamModes: ['checkpoints', 'debug'] });
    const checkpoints = frames.filter(({ event }) => event === 'checkpoints').map(({ data }) => data);
    const debugged = frames.filter(({ data }) => data.type === 'checkpoint').map(({ data }) => data.payload);
    const history = await states.history(thread('echo'), { limit: 10 });
    expect(checkpoints.map(({ checkpoint }) => checkpoint.checkpoint_id)).toEqual(
      history.map(({ checkpoint }) => checkpoint?.checkpoint_id).reverse(),
    );
    expect(debugged).toEqual(checkpoints);
    expect(checkpoints[1]).toMatchObject({
      next: ['reply'],
      metadata: { source: 'loop', step: 0 },
      values: { messages: [{}] },
    });
    expect(frames.filter(({ event }) => event === 'debug').map(({ data }) => data.type)).toEqual([
      'checkpoint',
      'checkpoint',
      'task',
      'task_result',
      'checkpoint',
    ]);
    expect(JSON.stringify(frames)).not.toMatch(/__pregel_(?!pull)|callbacks|langgraph_auth|__switchyard/);
  });

  it('events gives the events of LangChain, beside the other modes', async () => {
    const { run } = await open({ talker: talker() });
    const { frames, end } = await run('talker', { input: hello, streamModes: ['events', 'values'] });
    const names = frames.filter(({ event }) => event === 'events').map(({ data }) => data.event);
    expect(names).toContain('on_chat_model_stream');
    expect(names[0]).toBe('on_chain_start');
    expect(names.at(-1)).toBe('on_chain_end');
    expect(frames.filter(({ event }) => event === 'values').at(-1)?.data).toEqual(end.state?.values);
    expect(JSON.stringify(frames)).not.toMatch(/__pregel_(?!pull)|__switchyard/);
  });

  it('is left out when it is unknown', async () => {
    const { run } = await open({ echo: echo() });
    const { frames } = await run('echo', { input: hello, streamModes: ['telepathy', 'updates'] });
    expect(frames.map(({ event }) => event)).toEqual(['updates']);
  });
});

describe('an agent with tools', () => {
  const add = tool(async ({ a, b }) => `${a + b}`, {
    name: 'add',
    description: 'adds',
    schema: z.object({ a: z.number(), b: z.number() }),
  });
  const call = { name: 'add', args: { a: 1, b: 2 }, id: 'call-1' };
  const script = (messages: BaseMessage[]) =>
    messages.at(-1)?.type === 'human' ? { text: 'Hm', calls: [call] } : { text: 'It is 3.' };

  it('streams its tokens, its tool calls and their results', async () => {
    const agent = createAgent({ model: new ScriptedModel('model', script), tools: [add] });
    const { run } = await open({ agent: agent.graph });
    const { frames, end } = await run('agent', {
      input: hello,
      streamModes: ['messages-tuple', 'tools', 'values'],
    });
    const messages = frames.filter(({ event }) => event === 'messages').map(({ data }) => data[0]);
    expect(messages.map(({ type, content }) => [type, content])).toEqual([
      ['ai', 'H'],
      ['ai', 'm'],
      ['ai', ''],
      ['tool', '3'],
      ...[...'It is 3.', ''].map((piece) => ['ai', piece]),
    ]);
    expect(messages[2]).toMatchObject({ tool_call_chunks: [{ name: 'add', id: 'call-1' }] });
    expect(messages[3]).toMatchObject({ tool_call_id: 'call-1', name: 'add', status: 'success' });
    expect(
      frames.filter(({ event }) => event === 'tools').map(({ data }) => [data.event, data.toolCallId]),
    ).toEqual([
      ['on_tool_start', 'call-1'],
      ['on_tool_end', 'call-1'],
    ]);
    expect(end.state?.values.messages).toMatchObject([
      { type: 'human' },
      { type: 'ai', tool_calls: [{ name: 'add', args: { a: 1, b: 2 }, id: 'call-1', type: 'tool_call' }] },
      { type: 'tool', content: '3' },
      { type: 'ai', content: 'It is 3.' },
    ]);
  });

  it('tells tools with their task in runs of the second protocol, those of an agent in a tool too', async () => {
    const helper = createAgent({ model: new ScriptedModel('helper', script), tools: [add] });
    const ask = tool(async () => (await helper.invoke(hello)).messages.at(-1)?.text ?? '', {
      name: 'ask',
      description: 'asks another agent',
      schema: z.object({}),
    });
    const asks = (messages: BaseMessage[]) =>
      messages.at(-1)?.type === 'human'
        ? { text: '', calls: ['call-1', 'call-2'].map((id) => ({ name: 'ask', args: {}, id })) }
        : { text: 'Done' };
    const agent = createAgent({ model: new ScriptedModel('model', asks), tools: [ask] });
    const { run } = await open({ agent: agent.graph });
    const asked = { input: hello, streamModes: ['tools'], streamSubgraphs: true };
    const { frames } = await run('agent', { ...asked, isSecondProtocol: true });
    const told = frames.filter(({ event }) => event.startsWith('tools'));
    const inTask = expect.stringMatching(/^tools\|tools:[^|]+$/);
    const inHelper = expect.stringMatching(/^tools\|tools:[^|]+\|tools:[^|]+$/);
    expect(told.map(({ event, data }) => [data.name, data.event, event])).toEqual([
      ['ask', 'on_tool_start', inTask],
      ['ask', 'on_tool_start', inTask],
      ['add', 'on_tool_start', inHelper],
      ['add', 'on_tool_start', inHelper],
      ['add', 'on_tool_end', inHelper],
      ['add', 'on_tool_end', inHelper],
      ['ask', 'on_tool_end', inTask],
      ['ask', 'on_tool_end', inTask],
    ]);
    expect(new Set(told.map(({ event }) => event)).size).toBe(4);
    const plain = await run('agent', { ...asked, threadId: 'other' });
    expect(plain.frames.filter(({ event }) => event === 'tools')).toHaveLength(4);
  });

  it('asks a human in both casings, and accepts the answer in the casing of clients', async () => {
    const agent = createAgent({
      model: new ScriptedModel('model', script),
      tools: [add],
      middleware: [
        humanInTheLoopMiddleware({
          interruptOn: { add: { allowedDecisions: ['approve', 'edit'] } },
        } as never) as AnyGraph,
      ],
    });
    const { run } = await open({ agent: agent.graph });
    const asked = await run('agent', { input: hello, streamModes: ['values', 'updates'] });
    const last = asked.frames.at(-1);
    expect(last).toMatchObject({
      event: 'values',
      data: {
        __interrupt__: [
          {
            id: expect.any(String),
            value: {
              actionRequests: [{ name: 'add' }],
              action_requests: [{ name: 'add' }],
              reviewConfigs: [{ actionName: 'add', action_name: 'add' }],
              review_configs: [
                { actionName: 'add', action_name: 'add', allowed_decisions: ['approve', 'edit'] },
              ],
            },
          },
        ],
      },
    });
    expect(asked.frames.filter(({ event, data }) => event === 'updates' && data.__interrupt__)).toHaveLength(
      1,
    );
    const edited_action = { name: 'add', args: { a: 40, b: 2 } };
    const { end } = await run('agent', {
      input: {},
      command: { resume: { decisions: [{ type: 'edit', edited_action }] } },
    });
    expect(end.state?.values.messages).toMatchObject([
      {},
      {},
      { type: 'tool', content: '42' },
      { content: 'It is 3.' },
    ]);
  });
});

describe('an interrupt', () => {
  it('is the last of the frames, and stands in the state under its task', async () => {
    const { run, states, thread } = await open({ asker: asker() });
    const { frames, end } = await run('asker', { input: { count: 1 }, streamModes: ['values', 'updates'] });
    expect(frames.slice(-2)).toEqual([
      { event: 'updates', data: { __interrupt__: [{ id: expect.any(String), value: 'first?' }] } },
      { event: 'values', data: { __interrupt__: [{ id: expect.any(String), value: 'first?' }] } },
    ]);
    const saved = await states.current(thread('asker'));
    const [task] = saved?.tasks ?? [];
    expect(end).toMatchObject({ outcome: 'done', state: { values: { count: 2 }, next: ['ask'] } });
    expect(end.state?.interrupts).toEqual({
      [String(task?.id)]: [{ id: expect.any(String), value: 'first?' }],
    });
    expect(end.state?.checkpointId).toBe(saved?.checkpoint?.checkpoint_id);
  });

  it('is answered by a command, which takes precedence over the input', async () => {
    const { run } = await open({ asker: asker() });
    await run('asker', { input: { count: 1 } });
    const second = await run('asker', { input: { count: 100 }, command: { resume: 'one' } });
    expect(second.end.state).toMatchObject({ next: ['ask'], values: { count: 2 } });
    const { end } = await run('asker', { command: { resume: 'two' } });
    expect(end.state?.values).toEqual({ count: 2, answers: ['one', 'two'] });
  });

  it.each([false, 0, ''])('is answered by %j too', async (answer) => {
    const { run } = await open({ asker: asker() });
    await run('asker', { input: { count: 1 } });
    await run('asker', { command: { resume: answer } });
    const { end } = await run('asker', { command: { resume: answer } });
    expect(end.state?.values).toEqual({ count: 2, answers: [answer, answer] });
  });

  it('of several tasks is one frame, and is answered by its id', async () => {
    const graph = new StateGraph(Counted)
      .addNode('left', () => ({ answers: [`left ${interrupt('left?')}`] }))
      .addNode('right', () => ({ answers: [`right ${interrupt('right?')}`] }))
      .addNode('quick', () => ({ count: 5 }))
      .addEdge(START, 'left')
      .addEdge(START, 'right')
      .addEdge(START, 'quick')
      .compile();
    const { run } = await open({ graph });
    const asked = await run('graph', { input: { count: 1 } });
    const interrupts: { id: string; value: string }[] = asked.frames.at(-1)?.data.__interrupt__;
    expect(interrupts.map(({ value }) => value).sort()).toEqual(['left?', 'right?']);
    const resume = Object.fromEntries(interrupts.map(({ id, value }) => [id, `for ${value}`]));
    const { end } = await run('graph', { command: { resume } });
    expect(end.state?.values).toEqual({ count: 6, answers: ['left for left?', 'right for right?'] });
  });

  it('before a node is an empty one, and the run continues without input', async () => {
    const { run } = await open({ echo: echo() });
    const stopped = await run('echo', {
      input: hello,
      interruptBefore: ['reply'],
      streamModes: ['values', 'updates'],
    });
    expect(stopped.frames.slice(-2)).toEqual([
      { event: 'updates', data: { __interrupt__: [] } },
      { event: 'values', data: { __interrupt__: [] } },
    ]);
    expect(stopped.end.state?.next).toEqual(['reply']);
    const { end } = await run('echo', { input: null });
    expect(end.state).toMatchObject({ next: [], values: { messages: [{}, { content: 'echo: hello' }] } });
  });

  it('after a node leaves the next node', async () => {
    const { run } = await open({ asker: asker() });
    const { end } = await run('asker', { input: { count: 1 }, interruptAfter: '*' });
    expect(end.state).toMatchObject({ next: ['ask'], interrupts: {} });
  });
});

describe('a command', () => {
  it('changes the state and goes where it says', async () => {
    const graph = new StateGraph(Counted)
      .addNode('never', () => ({ count: 1000 }), { ends: ['add'] })
      .addNode('add', () => ({ count: 1 }))
      .addEdge(START, 'never')
      .addEdge('never', END)
      .addEdge('add', END)
      .compile();
    const { run } = await open({ graph });
    const { end } = await run('graph', { command: { update: { count: 10 }, goto: 'add' } });
    expect(end.state?.values.count).toBe(11);
  });

  it('sends a separate input to a node', async () => {
    const graph = new StateGraph(Counted)
      .addNode('take', (state) => ({ answers: [state] }))
      .addEdge(START, 'take')
      .compile();
    const { run } = await open({ graph });
    await run('graph', { input: { count: 1 } });
    const { end } = await run('graph', { command: { goto: [{ node: 'take', input: { said: 'this' } }] } });
    expect(end.state?.values.answers).toEqual([{ count: 1, answers: [] }, { said: 'this' }]);
  });

  it('that is empty leaves the input in effect', async () => {
    const { run } = await open({ echo: echo() });
    const { end } = await run('echo', { input: hello, command: {} });
    expect(end.state?.values.messages).toHaveLength(2);
  });
});

describe('a checkpoint', () => {
  it('can be continued in a branch of its own', async () => {
    const { run, states, thread } = await open({ echo: echo() });
    const first = await run('echo', { input: hello });
    await run('echo', { input: { messages: [{ role: 'user', content: 'forgotten', id: 'h2' }] } });
    const checkpoint = { checkpoint_id: String(first.end.state?.checkpointId), checkpoint_ns: '' };
    const { end } = await run('echo', {
      checkpoint,
      input: { messages: [{ role: 'user', content: 'instead', id: 'h3' }] },
    });
    const contents = contentsOf(end);
    expect(contents).toEqual(['hello', 'echo: hello', 'instead', 'echo: instead']);
    expect((await states.current(thread('echo')))?.values).toEqual(end.state?.values);
  });

  it('is played again without input', async () => {
    const { run, states, thread } = await open({ echo: echo() });
    await run('echo', { input: hello });
    const history = await states.history(thread('echo'), { limit: 10 });
    const before = history.find(({ next }) => next.includes('reply'))?.checkpoint;
    const { end } = await run('echo', {
      input: null,
      checkpoint: { checkpoint_id: String(before?.checkpoint_id) },
    });
    expect(end.state?.values.messages).toMatchObject([{ content: 'hello' }, { content: 'echo: hello' }]);
  });
});

describe('a later attempt', () => {
  /** Its second node hangs until the run is stopped, but only in the first attempt. */
  function twoSteps(): { graph: AnyGraph; stop: AbortController; calls: string[] } {
    const stop = new AbortController();
    const calls: string[] = [];
    const graph = new StateGraph(Counted)
      .addNode('one', () => {
        calls.push('one');
        return { count: 1 };
      })
      .addNode('two', () => {
        calls.push('two');
        if (calls.length > 2) return { count: 10 };
        return new Promise<never>(() => stop.abort(new Error('killed')));
      })
      .addEdge(START, 'one')
      .addEdge('one', 'two')
      .compile();
    return { graph, stop, calls };
  }

  it('continues from the last checkpoint and repeats nothing that is stored', async () => {
    const { graph, stop, calls } = twoSteps();
    const { run } = await open({ graph });
    const runId = '00000000-0000-7000-8000-00000000abcd';
    const asked = { runId, input: { count: 100 }, signal: stop.signal };
    await expect(run('graph', asked)).rejects.toThrow('killed');
    const { end } = await run('graph', { runId, input: { count: 100 }, attempt: 2 });
    expect(calls).toEqual(['one', 'two', 'two']);
    expect(end.state?.values.count).toBe(111);
  });

  it('begins with the input when nothing of the run is stored, even on a thread with a history', async () => {
    const { run } = await open({ echo: echo() });
    await run('echo', { input: hello });
    const { end } = await run('echo', {
      attempt: 2,
      input: { messages: [{ role: 'user', content: 'second', id: 'h2' }] },
    });
    const contents = contentsOf(end);
    expect(contents).toEqual(['hello', 'echo: hello', 'second', 'echo: second']);
  });

  it('does not give an answer twice', async () => {
    const stop = new AbortController();
    let isFirst = true;
    const graph = new StateGraph(Counted)
      .addNode('ask', async () => {
        const one = interrupt('first?');
        if (isFirst) {
          isFirst = false;
          await new Promise<never>(() => stop.abort(new Error('killed')));
        }
        return { answers: [one, interrupt('second?')] };
      })
      .addEdge(START, 'ask')
      .compile();
    const { run } = await open({ graph });
    await run('graph', { input: { count: 0 } });
    const runId = '00000000-0000-7000-8000-00000000abcd';
    const command = { resume: 'one' };
    await expect(run('graph', { runId, command, signal: stop.signal })).rejects.toThrow('killed');
    const again = await run('graph', { runId, command, attempt: 2 });
    expect(again.end.state?.next).toEqual(['ask']);
    const { end } = await run('graph', { command: { resume: 'two' } });
    expect(end.state?.values.answers).toEqual(['one', 'two']);
  });
});

describe('a subgraph', () => {
  function nested(): AnyGraph {
    const inner = new StateGraph(MessagesAnnotation)
      .addNode('talk', async ({ messages }) => ({
        messages: [await new ScriptedModel('model', () => ({ text: 'x' })).invoke(messages)],
      }))
      .addEdge(START, 'talk')
      .compile();
    return new StateGraph(MessagesAnnotation).addNode('inner', inner).addEdge(START, 'inner').compile();
  }

  it('is streamed under its namespace when the client asks for that', async () => {
    const { run } = await open({ nested: nested() });
    const { frames } = await run('nested', {
      input: hello,
      streamSubgraphs: true,
      streamModes: ['values', 'updates', 'messages-tuple'],
    });
    const events = frames.map(({ event }) => event.replaceAll(/:[0-9a-f-]{36}/g, ':id'));
    expect(events).toContain('values|inner:id');
    expect(events).toContain('updates|inner:id');
    expect(events.filter((event) => event.startsWith('messages|inner:id'))).toHaveLength(2);
    expect(events.filter((event) => event === 'values')).toHaveLength(2);
    expect(events.at(-1)).toBe('values');
  });

  it('streams through the run otherwise', async () => {
    const { run } = await open({ nested: nested() });
    const { frames } = await run('nested', { input: hello, streamModes: ['values', 'messages-tuple'] });
    expect(frames.map(({ event }) => event)).toEqual(['values', 'messages', 'messages', 'values']);
  });

  it('streams no states, updates or tasks of its own through the run, but its custom events', async () => {
    const inner = new StateGraph(Counted)
      .addNode('work', (_state, { writer }) => {
        writer?.({ counted: true });
        return { count: 1 };
      })
      .addEdge(START, 'work')
      .compile();
    const outer = new StateGraph(Counted).addNode('inner', inner).addEdge(START, 'inner').compile();
    const { run } = await open({ outer });
    const streamModes = ['values', 'updates', 'tasks', 'custom'];
    const { frames } = await run('outer', { input: { count: 0 }, streamModes });
    expect(frames.filter(({ event }) => event === 'custom')).toMatchObject([{ data: { counted: true } }]);
    expect(JSON.stringify(frames)).not.toContain('"work"');
    expect(frames.filter(({ event }) => event === 'tasks').map(({ data }) => data.name)).toEqual([
      'inner',
      'inner',
    ]);
  });

  it('that was interrupted is read with the state, and continues', async () => {
    const inner = new StateGraph(Counted)
      .addNode('ask', () => ({ answers: [interrupt('sure?')] }))
      .addEdge(START, 'ask')
      .compile();
    const outer = new StateGraph(Counted).addNode('inner', inner).addEdge(START, 'inner').compile();
    const { run, states, thread } = await open({ outer });
    const { end } = await run('outer', { input: { count: 1 } });
    expect(end.state?.next).toEqual(['inner']);
    const deep = await states.current(thread('outer'), { subgraphs: true });
    expect(deep?.tasks[0]).toMatchObject({
      name: 'inner',
      interrupts: [{ value: 'sure?' }],
      checkpoint: null,
      state: { next: ['ask'], values: { count: 1 } },
    });
    const flat = await states.current(thread('outer'));
    expect(flat?.tasks[0]).toMatchObject({
      state: null,
      checkpoint: { checkpoint_ns: `inner:${flat?.tasks[0]?.id}` },
    });
    const resumed = await run('outer', { command: { resume: 'yes' } });
    expect(resumed.end.state?.values.answers).toEqual(['yes']);
  });
});

describe('a node that chooses the next node', () => {
  it('works as in any graph', async () => {
    const graph = new StateGraph(Counted)
      .addNode('fan', () => new Command({ goto: [new Send('take', { n: 1 }), new Send('take', { n: 2 })] }), {
        ends: ['take'],
      })
      .addNode('take', (state) => ({ answers: [(state as unknown as { n: number }).n] }))
      .addEdge(START, 'fan')
      .compile();
    const { run } = await open({ graph });
    const { end } = await run('graph', { input: { count: 0 } });
    expect(end.state?.values.answers).toEqual([1, 2]);
  });
});
