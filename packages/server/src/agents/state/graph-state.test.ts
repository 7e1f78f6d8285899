import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { Annotation, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AgentFixture, openAgentFixture } from '../../../testing/agent-fixture.ts';
import type { StatefulThread } from './graph-state.ts';
import { viewOf, type WireState } from './wire-state.ts';

const State = Annotation.Root({ ...MessagesAnnotation.spec, title: Annotation<string> });
const chat = new StateGraph(State)
  .addNode('reply', ({ messages }) => ({
    messages: [new AIMessage({ content: `echo: ${messages.at(-1)?.text}`, id: `a${messages.length}` })],
  }))
  .addEdge(START, 'reply')
  .compile();
const Asked = Annotation.Root({ answer: Annotation<string> });
const asker = new StateGraph(Asked)
  .addNode('ask', () => ({ answer: interrupt('sure?') }))
  .addEdge(START, 'ask')
  .compile();
const outer = new StateGraph(Asked).addNode('inner', asker).addEdge(START, 'inner').compile();
const parallel = new StateGraph(Annotation.Root({ a: Annotation<number>, b: Annotation<number> }))
  .addNode('left', () => ({ a: 1 }))
  .addNode('right', () => ({ b: 1 }))
  .addEdge(START, 'left')
  .addEdge(START, 'right')
  .compile();

let fixture: AgentFixture;
let thread: StatefulThread;
beforeEach(async () => {
  fixture = await openAgentFixture({ chat, asker, outer, parallel });
  thread = fixture.thread('chat');
});
afterEach(() => fixture.close());

function say(content: string, id: string): Promise<unknown> {
  return fixture.run('chat', {
    input: { messages: [{ role: 'user', content, id }] },
    metadata: { topic: content },
  });
}

async function stateOf(of: StatefulThread = thread): Promise<WireState> {
  const state = await fixture.states.current(of);
  if (!state) throw new Error('There is no state.');
  return state;
}

function contents({ values }: Pick<WireState, 'values'>): unknown[] {
  return (values.messages as { content: string }[]).map(({ content }) => content);
}

describe('the current state', () => {
  it('of a thread that has never run is empty and has no checkpoint', async () => {
    const empty = {
      values: {},
      next: [],
      tasks: [],
      metadata: {},
      created_at: null,
      checkpoint: null,
      parent_checkpoint: null,
    };
    expect(await stateOf()).toEqual(empty);
    expect(await stateOf(fixture.thread(null))).toEqual(empty);
    expect(await fixture.states.history(thread, { limit: 10 })).toEqual([]);
  });

  it('has the form that clients of LangGraph read', async () => {
    await say('hello', 'h1');
    const state = await stateOf();
    const [, parent] = await fixture.states.history(thread, { limit: 2 });
    expect(state).toEqual({
      values: {
        messages: [
          { type: 'human', content: 'hello', id: 'h1', additional_kwargs: {}, response_metadata: {} },
          expect.objectContaining({ type: 'ai', content: 'echo: hello', id: 'a1' }),
        ],
      },
      next: [],
      tasks: [],
      metadata: {
        source: 'loop',
        step: 1,
        parents: {},
        topic: 'hello',
        thread_id: 'thread',
        run_id: '00000000-0000-7000-8000-000000000001',
        graph_id: 'chat',
        assistant_id: 'chat',
        run_attempt: 1,
      },
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      checkpoint: {
        thread_id: 'thread',
        checkpoint_ns: '',
        checkpoint_id: expect.any(String),
        checkpoint_map: null,
      },
      parent_checkpoint: expect.objectContaining({ checkpoint_id: parent?.checkpoint?.checkpoint_id }),
    });
  });

  it('is read at a checkpoint, and is null when there is no such checkpoint', async () => {
    await say('one', 'h1');
    const { checkpoint } = await stateOf();
    await say('two', 'h2');
    const then = await fixture.states.current(thread, { checkpoint: checkpoint ?? {} });
    expect(then && contents(then)).toEqual(['one', 'echo: one']);
    expect(await fixture.states.current(thread, { checkpoint: { checkpoint_id: 'none' } })).toBeNull();
    expect(
      await fixture.states.current({ ...thread, graphId: null }, { checkpoint: { checkpoint_id: 'none' } }),
    ).toBeNull();
  });

  it('shows what waits for a human, also in the view that the snapshot keeps', async () => {
    const asked = fixture.thread('asker');
    await fixture.run('asker', { input: { answer: '' } });
    const state = await stateOf(asked);
    expect(state).toMatchObject({
      next: ['ask'],
      tasks: [
        { name: 'ask', interrupts: [{ id: expect.any(String), value: 'sure?' }], error: null, result: null },
      ],
    });
    expect(viewOf(state)).toEqual({
      values: { answer: '' },
      next: ['ask'],
      interrupts: { [String(state.tasks[0]?.id)]: state.tasks[0]?.interrupts },
      checkpointId: state.checkpoint?.checkpoint_id,
    });
  });
});

describe('without its graph', () => {
  it('a state is read from its checkpoint', async () => {
    await say('hello', 'h1');
    const here = await stateOf();
    const { tasks, ...alone } = await stateOf({ ...thread, graphId: null });
    expect(tasks).toEqual([]);
    expect(alone).toEqual({
      ...here,
      tasks: undefined,
      metadata: { ...here.metadata, thread_id: undefined },
      checkpoint: { ...here.checkpoint, checkpoint_map: null },
    });
  });

  it('the next nodes and the open questions are known', async () => {
    await fixture.run('asker', { input: { answer: '' } });
    expect(await stateOf(fixture.thread(null))).toMatchObject({
      values: { answer: '' },
      next: ['ask'],
      tasks: [{ name: 'ask', interrupts: [{ value: 'sure?' }] }],
    });
  });

  it('a question that an earlier LangGraph has stored alone, not in a list, is known as well', async () => {
    await fixture.states.update(fixture.thread(null), { values: { answer: '' } });
    const tuple = await fixture.checkpointer.getTuple({ configurable: { thread_id: thread.threadId } });
    const question = { id: 'q', value: 'sure?' };
    await fixture.checkpointer.putWrites(tuple?.config ?? {}, [['__interrupt__', question]], 'task');
    const { tasks } = await stateOf(fixture.thread(null));
    expect(tasks).toMatchObject([{ id: 'task', interrupts: [question] }]);
  });

  it('the history is the same', async () => {
    await say('hello', 'h1');
    const here = await fixture.states.history(thread, { limit: 10 });
    const alone = await fixture.states.history({ ...thread, graphId: null }, { limit: 10 });
    expect(alone.map(({ next, values }) => ({ next, values: values.messages ?? [] }))).toEqual(
      here.map(({ next, values }) => ({
        next: next.filter((node) => node !== '__start__'),
        values: values.messages,
      })),
    );
  });

  it('an update replaces channel by channel in a new checkpoint', async () => {
    const bare = { ...thread, graphId: null };
    await fixture.states.update(bare, { values: { title: 'first', x: 1 } });
    const before = await stateOf(bare);
    await fixture.states.update(bare, { values: { title: 'second' } });
    const after = await stateOf(bare);
    expect(after.values).toEqual({ title: 'second', x: 1 });
    expect(after.metadata).toMatchObject({ source: 'update', step: 0 });
    expect(after.parent_checkpoint).toEqual(before.checkpoint);
    expect(await fixture.states.history(bare, { limit: 10 })).toHaveLength(2);
  });

  it('a graph continues from such an update', async () => {
    await fixture.states.update({ ...thread, graphId: null }, { values: { title: 'kept' } });
    await say('hello', 'h1');
    const state = await stateOf();
    expect(state.values.title).toBe('kept');
    expect(contents(state)).toEqual(['hello', 'echo: hello']);
  });
});

describe('the history', () => {
  beforeEach(async () => {
    await say('one', 'h1');
    await say('two', 'h2');
  });

  it('begins with the newest, each a whole state', async () => {
    const history = await fixture.states.history(thread, { limit: 100 });
    expect(history.map(({ metadata }) => metadata.step)).toEqual([4, 3, 2, 1, 0, -1]);
    expect(history.map((state) => contents(state).length)).toEqual([4, 3, 2, 2, 1, 0]);
    expect(history.map(({ next }) => next)).toEqual([
      [],
      ['reply'],
      ['__start__'],
      [],
      ['reply'],
      ['__start__'],
    ]);
    for (const [index, { parent_checkpoint }] of history.entries()) {
      expect(parent_checkpoint?.checkpoint_id).toBe(history[index + 1]?.checkpoint?.checkpoint_id);
    }
  });

  it('is limited, and ends before the named checkpoint', async () => {
    const all = await fixture.states.history(thread, { limit: 100 });
    const before = String(all[1]?.checkpoint?.checkpoint_id);
    const page = await fixture.states.history(thread, { limit: 2, before });
    expect(page).toEqual(all.slice(2, 4));
  });

  it('encodes a message that several states hold once, with a graph and without', async () => {
    for (const about of [thread, { ...thread, graphId: null }]) {
      const history = await fixture.states.history(about, { limit: 100 });
      const held = history.flatMap(({ values }) => (values.messages as object[] | undefined) ?? []);
      expect([held.length, new Set(held).size]).toEqual([12, 4]);
    }
  });

  it('is one state when a checkpoint is named', async () => {
    const all = await fixture.states.history(thread, { limit: 100 });
    for (const about of [thread, { ...thread, graphId: null }]) {
      const checkpoint = { checkpoint_id: all[3]?.checkpoint?.checkpoint_id };
      const found = await fixture.states.history(about, { limit: 100, checkpoint });
      expect(found.map(({ metadata }) => metadata.step)).toEqual([1]);
    }
    const missing = { checkpoint_id: '1f000000-0000-6000-8000-000000000000' };
    expect(await fixture.states.history(thread, { limit: 100, checkpoint: missing })).toEqual([]);
  });

  it('is filtered by metadata', async () => {
    const found = await fixture.states.history(thread, {
      limit: 100,
      metadata: { topic: 'one', source: 'loop' },
    });
    expect(found.map(({ metadata }) => metadata.step)).toEqual([1, 0]);
  });
});

describe('the state of a subgraph', () => {
  it('is read under its namespace, with its history', async () => {
    const outer = fixture.thread('outer');
    await fixture.run('outer', { input: { answer: '' } });
    const { tasks } = await stateOf(outer);
    const checkpoint = tasks[0]?.checkpoint ?? {};
    const inner = await fixture.states.current(outer, { checkpoint });
    expect(inner).toMatchObject({
      values: { answer: '' },
      next: ['ask'],
      tasks: [{ name: 'ask', interrupts: [{ value: 'sure?' }] }],
      checkpoint: { checkpoint_ns: expect.stringMatching(/^inner:/) },
    });
    const history = await fixture.states.history(outer, { limit: 10, checkpoint });
    expect(history.map(({ next }) => next)).toEqual([['ask'], ['__start__']]);
  });

  it('is changed as one of its own nodes, and the run continues from there', async () => {
    const outer = fixture.thread('outer');
    await fixture.run('outer', { input: { answer: '' } });
    const { tasks } = await stateOf(outer);
    const checkpoint = tasks[0]?.checkpoint ?? {};
    const wrong = fixture.states.update(outer, { values: { answer: 'x' }, asNode: 'inner' }, checkpoint);
    await expect(wrong).rejects.toThrow('Unknown node: inner');
    const change = { values: { answer: 'by hand' }, asNode: 'ask' };
    const made = await fixture.states.update(outer, change, checkpoint);
    expect(made.checkpoint_ns).toBe(tasks[0]?.checkpoint?.checkpoint_ns);
    const { end } = await fixture.run('outer', { input: null });
    expect(end.state).toMatchObject({ values: { answer: 'by hand' }, next: [], interrupts: {} });
  });

  it('is read from its checkpoint when the graph does not know it', async () => {
    const outer = fixture.thread('outer');
    await fixture.run('outer', { input: { answer: '' } });
    const checkpoint_ns = String((await stateOf(outer)).tasks[0]?.checkpoint?.checkpoint_ns);
    const other = { ...outer, graphId: 'chat' };
    expect(await fixture.states.current(other, { checkpoint: { checkpoint_ns } })).toMatchObject({
      values: { answer: '' },
      next: ['ask'],
    });
    expect(await fixture.states.history(other, { limit: 10, checkpoint: { checkpoint_ns } })).toHaveLength(2);
  });
});

describe('an update', () => {
  it('goes through the reducers of the graph, into a new checkpoint', async () => {
    await say('hello', 'h1');
    const before = await stateOf();
    const ref = await fixture.states.update(thread, {
      values: { messages: [{ role: 'user', content: 'changed', id: 'h1' }], title: 'Greeting' },
      asNode: 'reply',
    });
    const after = await stateOf();
    expect(contents(after)).toEqual(['changed', 'echo: hello']);
    expect(after.values.title).toBe('Greeting');
    expect(after.metadata).toMatchObject({ source: 'update', step: 2, graph_id: 'chat' });
    expect(after.metadata.run_id).toBeUndefined();
    expect(after.checkpoint?.checkpoint_id).toBe(ref.checkpoint_id);
    expect(after.parent_checkpoint?.checkpoint_id).toBe(before.checkpoint?.checkpoint_id);
    expect(ref).toMatchObject({ thread_id: 'thread', checkpoint_ns: '' });
  });

  it('counts as the last node’s when none is named', async () => {
    await say('hello', 'h1');
    await fixture.states.update(thread, { values: { title: 'x' } });
    expect((await stateOf()).values.title).toBe('x');
  });

  it('creates a state when there was none', async () => {
    await fixture.states.update(thread, {
      values: { messages: [new HumanMessage({ content: 'first', id: 'h' })] },
    });
    expect(contents(await stateOf())).toEqual(['first']);
  });

  it('branches off from the named checkpoint', async () => {
    await say('one', 'h1');
    const { checkpoint } = await stateOf();
    await say('two', 'h2');
    await fixture.states.update(thread, { values: { title: 'branch' }, asNode: 'reply' }, checkpoint ?? {});
    const after = await stateOf();
    expect(contents(after)).toEqual(['one', 'echo: one']);
    expect(after.parent_checkpoint?.checkpoint_id).toBe(checkpoint?.checkpoint_id);
  });

  it.each([
    [
      'unknown channels',
      { values: { nope: 1, also: 2, title: 'x' } },
      'Unknown thread-state field(s): also, nope',
    ],
    ['channels of LangGraph', { values: { __start__: {} } }, 'Unknown thread-state field(s): __start__'],
    ['an unknown node', { values: { title: 'x' }, asNode: 'elsewhere' }, 'Unknown node: elsewhere'],
  ])('with %s is refused and changes nothing', async (_title, update, message) => {
    await say('hello', 'h1');
    const before = await stateOf();
    await expect(fixture.states.update(thread, update)).rejects.toMatchObject({ status: 422, message });
    expect(await stateOf()).toEqual(before);
  });

  it('leaves out unknown channels when the caller says so', async () => {
    await say('hello', 'h1');
    const values = { nope: 1, __start__: {}, title: 'x' };
    await fixture.states.update(thread, { values, asNode: 'reply', ignoresUnknown: true });
    const after = await stateOf();
    expect(Object.keys(after.values).sort()).toEqual(['messages', 'title']);
    expect(after.values.title).toBe('x');
  });

  it('asks for a node when it could come from several', async () => {
    await fixture.run('parallel', { input: { a: 0 } });
    await expect(
      fixture.states.update(fixture.thread('parallel'), { values: { a: 2 } }),
    ).rejects.toMatchObject({ status: 422, message: expect.stringContaining('asNode') });
  });

  it('of a checkpoint that does not exist is 404', async () => {
    await expect(
      fixture.states.update(thread, { values: { title: 'x' } }, { checkpoint_id: 'none' }),
    ).rejects.toMatchObject({ status: 404, message: 'Checkpoint none not found' });
  });

  it('in supersteps makes a checkpoint each', async () => {
    await fixture.states.bulkUpdate(thread, [
      [{ values: { messages: [{ role: 'user', content: 'hi', id: 'h1' }] }, asNode: '__start__' }],
      [{ values: { messages: [{ role: 'assistant', content: 'ho', id: 'a1' }] }, asNode: 'reply' }],
    ]);
    expect(contents(await stateOf())).toEqual(['hi', 'ho']);
    expect(await fixture.states.history(thread, { limit: 10 })).toHaveLength(2);
  });

  it('answers an open question', async () => {
    const asked = fixture.thread('asker');
    await fixture.run('asker', { input: { answer: '' } });
    await fixture.states.update(asked, { values: { answer: 'by hand' }, asNode: 'ask' });
    expect(await stateOf(asked)).toMatchObject({ values: { answer: 'by hand' }, next: [], tasks: [] });
  });
});

describe('a rollback', () => {
  it('restores the state before the run, updates and earlier runs included', async () => {
    await say('one', 'h1');
    await fixture.states.update(thread, { values: { title: 'kept' }, asNode: 'reply' });
    const before = await stateOf();
    await fixture.run('chat', {
      runId: 'gone',
      input: { messages: [{ role: 'user', content: 'two', id: 'h2' }] },
    });
    await fixture.states.rollback('thread', 'gone');
    expect(await stateOf()).toEqual(before);
  });

  it('brings back the question that the run had answered', async () => {
    const asked = fixture.thread('asker');
    await fixture.run('asker', { input: { answer: '' } });
    const before = await stateOf(asked);
    await fixture.run('asker', { runId: 'gone', command: { resume: 'yes' } });
    await fixture.states.rollback('thread', 'gone');
    expect(await stateOf(asked)).toEqual(before);
    const { end } = await fixture.run('asker', { command: { resume: 'no' } });
    expect(end.state?.values).toEqual({ answer: 'no' });
  });

  it('of the first run leaves an empty thread', async () => {
    await fixture.run('chat', { runId: 'gone', input: { messages: [] } });
    await fixture.states.rollback('thread', 'gone');
    expect((await stateOf()).checkpoint).toBeNull();
  });
});

it('a copy has the same history and continues by itself', async () => {
  await say('hello', 'h1');
  await fixture.states.copy('thread', 'copy');
  await fixture.states.delete('thread');
  const copy = fixture.thread('chat', 'copy');
  expect(contents(await stateOf(copy))).toEqual(['hello', 'echo: hello']);
  expect(await fixture.states.history(copy, { limit: 10 })).toHaveLength(3);
  expect((await stateOf()).checkpoint).toBeNull();
});

it('pruning keeps the newest states', async () => {
  await say('hello', 'h1');
  const before = await stateOf();
  expect(await fixture.states.prune('thread', { keepLatest: 1 }, async () => undefined)).toBe(2);
  expect(await stateOf()).toEqual(before);
  expect(await fixture.states.history(thread, { limit: 10 })).toHaveLength(1);
});
