import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

const approval = (requested: object = {}) => ({ assistant_id: 'approval', ...requested });

/** A thread that waits for an answer. */
async function askingThread(plan: string): Promise<string> {
  const threadId = await ada.thread();
  await ada.wait(threadId, approval({ input: { plan } }));
  return threadId;
}

describe('a graph that asks a human', () => {
  it('waits: the run has succeeded, and the thread is interrupted and shows the question', async () => {
    const threadId = await ada.thread();
    const stream = await ada.stream(
      threadId,
      approval({ input: { plan: 'sail' }, stream_mode: ['values', 'updates'] }),
    );
    const frames = await stream.rest();
    const asked = [{ id: expect.any(String), value: { question: 'May I sail?' } }];
    expect(frames.at(-1)).toMatchObject({ event: 'values', data: { __interrupt__: asked } });
    expect(frames.filter(({ event }) => event === 'updates').at(-1)?.data).toMatchObject({
      __interrupt__: asked,
    });

    const [run] = await ada.ok('GET', `/threads/${threadId}/runs`);
    expect(run).toMatchObject({ status: 'success' });
    const state = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(state).toMatchObject({
      values: { plan: 'sail', log: ['prepared sail'] },
      next: ['approve'],
      tasks: [{ name: 'approve', interrupts: asked }],
    });
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({
      status: 'interrupted',
      interrupts: { [state.tasks[0].id]: asked },
    });
    const found = await ada.ok('POST', '/threads/search', { status: 'interrupted', ids: [threadId] });
    expect(found).toHaveLength(1);
  });

  it('is part of the values that a waiting client gets', async () => {
    const values = await ada.wait(await ada.thread(), approval({ input: { plan: 'wait' } }));
    expect(values).toMatchObject({ __interrupt__: [{ value: { question: 'May I wait?' } }] });
  });

  it.each<[string, unknown]>([
    ['yes', 'yes'],
    ['an object', { ok: true }],
    ['false', false],
    ['0', 0],
    ['an empty text', ''],
  ])('continues when it is answered with %s', async (_, resume) => {
    const threadId = await askingThread('go on');
    const values = await ada.wait(threadId, approval({ command: { resume } }));
    expect(values.log).toEqual(['prepared go on', `answered ${JSON.stringify(resume)}`, 'finished go on']);
    expect(values).not.toHaveProperty('__interrupt__');
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle', interrupts: {} });
  });

  it('accepts an answer by the id of the question, and a command beside an empty input', async () => {
    const threadId = await askingThread('both');
    const { tasks } = await ada.ok('GET', `/threads/${threadId}/state`);
    const resume = { [tasks[0].interrupts[0].id]: 'by id' };
    const values = await ada.wait(threadId, approval({ input: {}, command: { resume } }));
    expect(values.log).toContain('answered "by id"');
  });

  it('that gets one answer at a time asks only the questions that are left', async () => {
    const threadId = await ada.thread();
    const ask = (requested: object) => ada.wait(threadId, { assistant_id: 'two-questions', ...requested });
    const values = await ask({ input: {} });
    const questions: { id: string; value: { question: string } }[] = values.__interrupt__;
    expect(questions.map(({ value }) => value.question).sort()).toEqual(['left', 'right']);
    const [left, right] = ['left', 'right'].map((name) =>
      questions.find(({ value }) => value.question === name),
    );

    const after = await ask({ command: { resume: { [left?.id ?? '']: 'yes' } } });
    expect(after).toMatchObject({ log: ['left: yes'], __interrupt__: [right] });
    expect(after.__interrupt__).toHaveLength(1);
    const state = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(state.next).toEqual(['right']);
    expect(state.tasks.map((task: { interrupts: object[] }) => task.interrupts)).toEqual([[], [right]]);
    const thread = await ada.ok('GET', `/threads/${threadId}`);
    expect(thread).toMatchObject({ status: 'interrupted', values: { log: ['left: yes'] } });
    expect(Object.values(thread.interrupts)).toEqual([[right]]);

    const end = await ask({ command: { resume: { [right?.id ?? '']: 'no' } } });
    expect(end.log).toEqual(['left: yes', 'right: no', 'said nothing']);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle', interrupts: {} });
  });

  it('accepts state changes and another next node with the command', async () => {
    const threadId = await askingThread('detour');
    const values = await ada.wait(
      threadId,
      approval({ command: { update: { log: ['changed'] }, goto: 'finish' } }),
    );
    expect(values.log).toContain('changed');
    expect(values.log).toContain('finished detour');
  });

  it('stays interrupted when a run that does not answer is cancelled', async () => {
    const threadId = await askingThread('stay');
    const { run_id } = await ada.run(threadId, approval({ command: { resume: 1 }, after_seconds: 600 }));
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'busy' });
    await ada.call('POST', `/threads/${threadId}/runs/${run_id}/cancel?wait=1`);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'interrupted' });
  });
});

describe('a run that has to stop at a node', () => {
  it.each<[string, object, string[], string[]]>([
    ['before one', { interrupt_before: ['approve'] }, ['prepared stop'], ['approve']],
    ['after one', { interrupt_after: ['prepare'] }, ['prepared stop'], ['approve']],
    ['before any', { interrupt_before: '*' }, [], ['prepare']],
    ['after any', { interrupt_after: '*' }, ['prepared stop'], ['approve']],
  ])('%s stops at the node, and continues from it', async (_, requested, log, next) => {
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, approval({ input: { plan: 'stop' }, ...requested }));
    expect((await stream.rest()).at(-1)).toMatchObject({ event: 'values', data: { __interrupt__: [] } });
    const state = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(state).toMatchObject({ next });
    expect(state.values.log ?? []).toEqual(log);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'interrupted' });
    const values = await ada.wait(threadId, approval({ input: null }));
    expect(values.__interrupt__).toMatchObject([{ value: { question: 'May I stop?' } }]);
  });
});

describe('returning to an earlier state', () => {
  const historyOf = (threadId: string) =>
    ada.at('/api/langgraph').ok('POST', `/threads/${threadId}/history`, { limit: 100 });

  it('creates a fork, and keeps the original states', async () => {
    const threadId = await ada.thread();
    const first = await ada.wait(threadId, { assistant_id: 'chat', input: says('one') });
    const [afterOne] = await historyOf(threadId);
    await ada.wait(threadId, { assistant_id: 'chat', input: says('two') });
    const before = await historyOf(threadId);
    const { checkpoint } = afterOne;
    for (const requested of [
      { checkpoint: { checkpoint_id: checkpoint.checkpoint_id, checkpoint_ns: '' } },
      { checkpoint },
      { checkpoint_id: checkpoint.checkpoint_id },
      { config: { configurable: { checkpoint_id: checkpoint.checkpoint_id } } },
    ]) {
      const forked = await ada.wait(threadId, { assistant_id: 'chat', input: says('other'), ...requested });
      expect(forked.messages.slice(0, 2)).toEqual(first.messages);
      expect(forked.messages.slice(2)).toMatchObject([{ content: 'other' }, { content: 'You said: other' }]);
    }
    const ids = (await historyOf(threadId)).map((state: { checkpoint_id: string }) => state.checkpoint_id);
    for (const { checkpoint_id } of before) expect(ids).toContain(checkpoint_id);
  });

  it('to a checkpoint that does not exist fails and changes nothing', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'chat', input: says('one') });
    const before = await historyOf(threadId);
    const answer = await ada.post(`/threads/${threadId}/runs/wait`, {
      assistant_id: 'chat',
      input: says('x'),
      checkpoint_id: '1ef00000-0000-6000-8000-000000000000',
    });
    expect(answer.status).toBe(404);
    expect(await historyOf(threadId)).toEqual(before);
  });

  it('lists history in pages, with the states before a checkpoint', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'steps', input: { name: 'long' } });
    const all = await historyOf(threadId);
    expect(all).toHaveLength(5);
    expect(all.map(({ values }: { values: { steps?: string[] } }) => values.steps?.length ?? 0)).toEqual([
      3, 2, 1, 0, 0,
    ]);
    const caller = ada.at('/api/langgraph');
    const { checkpoint_id, checkpoint } = all[1];
    for (const before of [checkpoint_id, checkpoint, { configurable: { checkpoint_id } }]) {
      expect(await caller.ok('POST', `/threads/${threadId}/history`, { before, limit: 2 })).toEqual(
        all.slice(2, 4),
      );
    }
    expect(await caller.ok('GET', `/threads/${threadId}/history?limit=2&before=${checkpoint_id}`)).toEqual(
      all.slice(2, 4),
    );
    const itself = { ...all[1], checkpoint: { ...checkpoint, id: checkpoint_id, ts: all[1].created_at } };
    expect(await caller.ok('GET', `/threads/${threadId}/state/${checkpoint_id}`)).toEqual(itself);
    expect(await caller.ok('POST', `/threads/${threadId}/state/checkpoint`, { checkpoint })).toEqual(itself);
    expect((await caller.get(`/threads/${threadId}/state/nothing`)).status).toBe(404);
  });
});

describe('changing the state by hand', () => {
  it('goes through the reducers as the given node, and returns the new checkpoint', async () => {
    const threadId = await askingThread('edit');
    const before = await ada.ok('GET', `/threads/${threadId}/state`);
    const answer = await ada.ok('POST', `/threads/${threadId}/state`, {
      values: { log: ['by hand'] },
      as_node: 'approve',
    });
    expect(answer).toMatchObject({
      checkpoint: { thread_id: threadId, checkpoint_ns: '', checkpoint_id: expect.any(String) },
      values: { log: ['prepared edit', 'by hand'] },
      next: ['finish'],
      parent_checkpoint_id: before.checkpoint_id,
    });
    const values = await ada.wait(threadId, approval({ input: null }));
    expect(values.log).toEqual(['prepared edit', 'by hand', 'finished edit']);
  });

  it('sets the title of the thread', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'steps', input: { name: 'x' } });
    await ada.ok('POST', `/threads/${threadId}/state`, {
      values: { title: 'A good name' },
      as_node: 'third',
    });
    expect(await ada.ok('POST', '/threads/search', { ids: [threadId] })).toMatchObject([
      { values: { title: 'A good name' } },
    ]);
  });

  it('with fields or nodes that the graph does not know is refused', async () => {
    const threadId = await askingThread('wrong');
    for (const change of [{ values: { nonsense: 1 } }, { values: { log: [] }, as_node: 'nobody' }]) {
      const answer = await ada.post(`/threads/${threadId}/state`, change);
      expect(answer.status, answer.text).toBe(422);
    }
  });
});

describe('a value that a reducer of the graph does not accept', () => {
  const good = { name: 'good' };
  const bad = { steps: 5 };
  const run = (threadId: string, requested: object) =>
    ada.wait(threadId, { assistant_id: 'steps', ...requested });
  const failed = { __error__: { error: 'TypeError', message: expect.stringContaining('not iterable') } };
  const done = (name: string) => ['first', 'second', 'third'].map((step) => `${name}:${step}`);

  it.each<[string, object]>([
    ['as input', { input: bad }],
    ['with a command', { command: { update: bad } }],
    ['with a command that goes elsewhere', { command: { update: bad, goto: 'third' } }],
    ['with a command, nothing being stored before the end', { command: { update: bad }, durability: 'exit' }],
  ])('%s fails the run, and the thread stays readable and usable', async (_, requested) => {
    const threadId = await ada.thread();
    await run(threadId, { input: good });
    expect(await run(threadId, requested)).toMatchObject({ ...failed, steps: done('good') });

    const path = `/threads/${threadId}`;
    expect(await ada.ok('GET', path)).toMatchObject({ status: 'error' });
    expect(await ada.ok('GET', `${path}/state`)).toMatchObject({ values: { steps: done('good') } });
    const history = await ada.ok('POST', `${path}/history`, {});
    expect(history[0]).toMatchObject({ values: { steps: done('good') } });

    const values = await run(threadId, { input: { name: 'next' } });
    expect(values.steps).toEqual([...done('good'), ...done('next')]);
    expect(await ada.ok('GET', path)).toMatchObject({ status: 'idle' });
  });

  it('is refused when a state is changed', async () => {
    const threadId = await ada.thread();
    await run(threadId, { input: good });
    const answer = await ada.call('POST', `/threads/${threadId}/state`, { body: { values: bad } });
    expect(answer.status).toBe(422);
    expect(answer.body.detail).toContain('not iterable');
    expect(await ada.ok('GET', `/threads/${threadId}/state`)).toMatchObject({
      values: { steps: done('good') },
    });
    const superstep = { updates: [{ values: bad, as_node: 'first' }] };
    const body = { metadata: { graph_id: 'steps' }, supersteps: [superstep] };
    expect((await ada.call('POST', '/threads', { body })).status).toBe(422);
  });
});
