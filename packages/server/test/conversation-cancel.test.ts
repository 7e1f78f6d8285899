import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeGate } from './fixtures/agents/gates.ts';
import { type ConversationCaller, says } from './support/conversation-caller.ts';
import { type ConversationGateway, startConversation } from './support/conversation-gateway.ts';

let server: ConversationGateway;
let ada: ConversationCaller;
beforeAll(async () => {
  server = await startConversation();
  ada = server.ada;
});
afterAll(() => server.close());

const steps = (name: string, requested: object = {}) => ({
  assistant_id: 'steps',
  input: { name },
  ...requested,
});
const cancelOf = (caller: ConversationCaller, threadId: string, runId: string, query = '') =>
  caller.call('POST', `/threads/${threadId}/runs/${runId}/cancel${query}`);
const cancel = (threadId: string, runId: string, query = '') => cancelOf(ada, threadId, runId, query);
const stepsOf = async (threadId: string) => (await ada.ok('GET', `/threads/${threadId}/state`)).values.steps;

/** Starts a run and returns once it is in the given step. */
async function held(name: string, step: string) {
  const gate = closeGate(`${name}:${step}`);
  const threadId = await ada.thread();
  const { run_id: runId } = await ada.run(threadId, steps(name));
  await gate.reached;
  return { threadId, runId, gate };
}

describe('cancelling', () => {
  it('answers 202 at once, and 204 once the run has ended', async () => {
    const one = await held('quick', 'second');
    expect(await cancel(one.threadId, one.runId)).toMatchObject({ status: 202, text: '' });
    expect(await ada.ended(one.threadId, one.runId)).toMatchObject({
      status: 'interrupted',
      error: null,
      stop_reason: 'cancelled',
    });
    for (const wait of ['1', 'true']) {
      const two = await held(`patient-${wait}`, 'second');
      expect(await cancel(two.threadId, two.runId, `?wait=${wait}`)).toMatchObject({ status: 204, text: '' });
      expect(await ada.ok('GET', `/threads/${two.threadId}/runs/${two.runId}`)).toMatchObject({
        status: 'interrupted',
      });
      expect(await ada.ok('GET', `/threads/${two.threadId}`)).toMatchObject({ status: 'idle' });
    }
  });

  it('does not wait for wait=0', async () => {
    const { threadId, runId } = await held('hurried', 'second');
    expect((await cancel(threadId, runId, '?wait=0')).status).toBe(202);
    await ada.ended(threadId, runId);
  });

  it.each(['first', 'second', 'third'])('in the %s step keeps what was done before', async (step) => {
    const name = `phase-${step}`;
    const { threadId, runId } = await held(name, step);
    await cancel(threadId, runId, '?wait=1');
    const all = ['first', 'second', 'third'];
    expect((await stepsOf(threadId)) ?? []).toEqual(
      all.slice(0, all.indexOf(step)).map((each) => `${name}:${each}`),
    );
    const after = await ada.wait(threadId, steps(`${name}-after`));
    expect(after.steps.slice(-3)).toEqual(all.map((each) => `${name}-after:${each}`));
  });

  it('in the middle of an answer ends the streams of its readers cleanly', async () => {
    const gate = closeGate('speaking');
    const threadId = await ada.thread();
    const stream = await ada.stream(threadId, {
      assistant_id: 'chat',
      input: says('count to 9 at gate speaking before 5'),
      stream_mode: 'messages-tuple',
    });
    const runId = (await stream.next())?.data.run_id;
    await gate.reached;
    await cancel(threadId, runId, '?wait=1');
    const frames = await stream.rest();
    expect(
      frames
        .filter(({ event }) => event === 'messages')
        .map(({ data }) => data[0].content)
        .join(''),
    ).toBe('1 2 3 4');
    expect(frames.map(({ event }) => event)).not.toContain('error');
  });

  it('of a run that waits its turn ends it before it has begun', async () => {
    const { threadId, runId, gate } = await held('in-front', 'second');
    const { run_id } = await ada.run(threadId, steps('behind'));
    const stream = await ada.open('GET', `/threads/${threadId}/runs/${run_id}/stream`);
    expect((await cancel(threadId, run_id)).status).toBe(202);
    expect(await ada.ended(threadId, run_id)).toMatchObject({ status: 'interrupted', started_at: null });
    expect((await stream.rest()).map(({ event }) => event)).not.toContain('error');
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'busy' });
    gate.open();
    await ada.ended(threadId, runId);
    expect(await stepsOf(threadId)).not.toContain('behind:first');
  });

  it('can be repeated; cancelling a run that ended in another way is a conflict', async () => {
    const { threadId, runId } = await held('twice', 'second');
    expect((await cancel(threadId, runId, '?wait=1')).status).toBe(204);
    expect((await cancel(threadId, runId)).status).toBe(202);
    expect((await cancel(threadId, runId, '?wait=1&action=rollback')).status).toBe(204);
    const done = await ada.run(threadId, steps('done'));
    await ada.ended(threadId, done.run_id);
    expect(await cancel(threadId, done.run_id)).toMatchObject({
      status: 409,
      body: { detail: `Run ${done.run_id} is not cancellable (status: success)` },
    });
    expect(await cancel(threadId, 'nothing')).toMatchObject({
      status: 404,
      body: { detail: 'Run nothing not found' },
    });
    expect((await cancel(threadId, done.run_id, '?action=explode')).status).toBe(422);
  });

  it('through the stream has no body with wait=1, and otherwise streams to the end of the run', async () => {
    const one = await held('through', 'second');
    const path = `/threads/${one.threadId}/runs/${one.runId}/stream`;
    expect((await ada.call('POST', `${path}?action=interrupt&wait=1`)).status).toBe(204);
    const two = await held('streamed', 'second');
    const stream = await ada.open(
      'POST',
      `/threads/${two.threadId}/runs/${two.runId}/stream?action=interrupt`,
    );
    expect((await stream.rest())[0]?.event).toBe('metadata');
    expect(await ada.ok('GET', `/threads/${two.threadId}/runs/${two.runId}`)).toMatchObject({
      status: 'interrupted',
    });
  });

  it('of many at once works by ids, by thread and by status', async () => {
    const one = await held('many-a', 'second');
    const two = await held('many-b', 'second');
    const waiting = await ada.run(two.threadId, steps('many-c'));
    const all = [one, two, { threadId: two.threadId, runId: waiting.run_id }];
    expect((await ada.post('/runs/cancel', { run_ids: [one.runId] })).status).toBe(202);
    await ada.ended(one.threadId, one.runId);
    expect((await ada.post('/runs/cancel', { thread_id: two.threadId, status: 'pending' })).status).toBe(202);
    await ada.ended(two.threadId, waiting.run_id);
    expect(await ada.ok('GET', `/threads/${two.threadId}/runs/${two.runId}`)).toMatchObject({
      status: 'running',
    });
    expect((await ada.post('/runs/cancel?wait=1', { status: 'all' })).status).toBe(204);
    for (const { threadId, runId } of all) {
      expect(await ada.ok('GET', `/threads/${threadId}/runs/${runId}`)).toMatchObject({
        status: 'interrupted',
      });
    }
  });
});

describe('a run that takes too long', () => {
  it('ends as timeout, with a reason, and leaves the thread free with the status error', async () => {
    const hurried = await startConversation({ conversation: { run_timeout: 200 } });
    try {
      const gate = closeGate('dawdling:second');
      const threadId = await hurried.ada.thread();
      const stream = await hurried.ada.stream(threadId, steps('dawdling'));
      const frames = await stream.rest();
      const { run_id } = frames[0]?.data ?? {};
      expect(frames.at(-1)).toMatchObject({ event: 'error', data: { name: 'TimeoutError' } });
      const run = await hurried.ada.ended(threadId, run_id);
      expect(run).toMatchObject({ status: 'timeout', error: expect.stringContaining('0.2 s') });
      expect(await hurried.ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'error' });
      expect(await cancelOf(hurried.ada, threadId, run_id)).toMatchObject({
        status: 409,
        body: { detail: `Run ${run_id} is not cancellable (status: timeout)` },
      });
      gate.open();
      const next = await hurried.ada.post(
        `/threads/${threadId}/runs`,
        steps('next', { multitask_strategy: 'reject' }),
      );
      expect(next.status).toBe(200);
      await hurried.ada.ended(threadId, next.body.run_id);
    } finally {
      await hurried.close();
    }
  });
});

describe('rolling back', () => {
  it('restores the state from before the run, and keeps the run', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, steps('kept'));
    const langgraph = ada.at('/api/langgraph');
    const before = await langgraph.ok('POST', `/threads/${threadId}/history`, { limit: 100 });
    const gate = closeGate('undone:third');
    const { run_id } = await ada.run(threadId, steps('undone'));
    await gate.reached;
    expect((await cancel(threadId, run_id, '?action=rollback&wait=1')).status).toBe(204);
    expect(await ada.ok('GET', `/threads/${threadId}/runs/${run_id}`)).toMatchObject({
      status: 'interrupted',
      error: 'Rolled back by user',
    });
    expect(await langgraph.ok('POST', `/threads/${threadId}/history`, { limit: 100 })).toEqual(before);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({
      status: 'idle',
      values: { steps: ['kept:first', 'kept:second', 'kept:third'] },
    });
    const after = await ada.wait(threadId, steps('after'));
    expect(after.steps).toEqual(
      ['kept', 'after'].flatMap((n) => [`${n}:first`, `${n}:second`, `${n}:third`]),
    );
  });

  it('of the first run of a thread leaves an empty thread', async () => {
    const { threadId, runId } = await held('only', 'third');
    await cancel(threadId, runId, '?action=rollback&wait=1');
    expect(await ada.ok('GET', `/threads/${threadId}/state`)).toMatchObject({
      values: {},
      next: [],
      checkpoint: null,
    });
    expect(await ada.ok('POST', `/threads/${threadId}/history`, {})).toEqual([]);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'idle', values: {} });
  });

  it('restores a question that had been answered', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'approval', input: { plan: 'sail' } });
    const before = await ada.ok('GET', `/threads/${threadId}/state`);
    const gate = closeGate('sail:finish');
    const { run_id } = await ada.run(threadId, { assistant_id: 'approval', command: { resume: 'yes' } });
    await gate.reached;
    await cancel(threadId, run_id, '?action=rollback&wait=1');
    gate.open();
    expect(await ada.ok('GET', `/threads/${threadId}/state`)).toEqual(before);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'interrupted' });
    const values = await ada.wait(threadId, { assistant_id: 'approval', command: { resume: 'no' } });
    expect(values.log).toEqual(['prepared sail', 'answered "no"', 'finished sail']);
  });
});

describe('rolling back a run of another agent', () => {
  it('keeps the question that the first agent had asked', async () => {
    const threadId = await ada.thread();
    await ada.wait(threadId, { assistant_id: 'approval', input: { plan: 'sail' } });
    const { next } = await ada.ok('GET', `/threads/${threadId}/state`);
    expect(next).toHaveLength(1);
    const gate = closeGate('passer-by:second');
    const { run_id } = await ada.run(threadId, steps('passer-by'));
    await gate.reached;
    await cancel(threadId, run_id, '?action=rollback&wait=1');
    gate.open();
    expect((await ada.ok('GET', `/threads/${threadId}/state`)).next).toEqual(next);
    expect(await ada.ok('GET', `/threads/${threadId}`)).toMatchObject({ status: 'interrupted' });
  });
});

describe('deleting a thread while a run is at work in it', () => {
  it('stops the run first, and nothing of either comes back', async () => {
    const { threadId, runId } = await held('doomed', 'second');
    const waiting = await ada.run(threadId, steps('never'));
    const stream = await ada.open('GET', `/threads/${threadId}/runs/${runId}/stream`);
    await stream.next();
    const deleted = await ada.call('DELETE', `/threads/${threadId}`);
    expect(deleted).toMatchObject({ status: 200, body: { success: true } });
    await stream.rest();
    for (const path of [
      '',
      '/state',
      '/messages',
      '/messages/page',
      '/token-usage',
      '/runs',
      `/runs/${runId}`,
      `/runs/${waiting.run_id}`,
      `/runs/${runId}/events`,
      `/runs/${runId}/stream`,
    ]) {
      expect(await ada.get(`/threads/${threadId}${path}`), path).toMatchObject({
        status: 404,
        body: { detail: `Thread ${threadId} not found` },
      });
    }
    for (const body of [{ thread_id: threadId }, { thread_id: threadId, if_exists: 'do_nothing' }]) {
      expect((await ada.post('/threads', body)).status).toBe(404);
    }
    const again = { ...steps('x'), if_not_exists: 'create' };
    expect((await ada.post(`/threads/${threadId}/runs`, again)).status).toBe(404);
    const rows = await server.gateway.context.database.read
      .selectFrom('run_events' as never)
      .selectAll()
      .where('thread_id' as never, '=', threadId as never)
      .execute();
    expect(rows).toEqual([]);
  });
});
