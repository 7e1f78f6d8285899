import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import {
  alice,
  bob,
  expectAgreement,
  hello,
  openRunsFixture,
  type RunsFixture,
  type RunsProcess,
} from '../../../testing/runs-fixture.ts';
import type { WireState } from '../../agents/state/wire-state.ts';
import { emptyState } from '../../agents/state/wire-state.ts';
import { toIso } from '../../lib/clock.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { RunResult } from './runs.ts';

const owner = { user: 'alice' };
const forever = new AbortController().signal;

let fixture: RunsFixture;
let gateway: RunsProcess;

beforeEach(async () => {
  fixture = await openRunsFixture();
  gateway = await fixture.start();
});

afterEach(() => fixture.close());

async function startExpecting(threadId: string, more = {}) {
  return gateway.runs.start(alice, threadId, hello(more), { claim: true, expect: true });
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts).toString();
}

function events(text: string): string[] {
  return [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1] ?? '');
}

describe('a run', () => {
  test('tells its owner that it was accepted, has begun and has ended, and that its thread is unread', async () => {
    await fixture.thread('t');
    const { result, run } = await startExpecting('t');
    const work = await gateway.runner.next();
    expect((await fixture.threadRow('t'))?.unread).toBe(0);
    work.succeed({ n: 1 });
    await result(forever);
    const told = fixture.told.map(({ userId, news }) => [userId, news.type, news.data.threadId]);
    expect(told).toEqual([
      ['alice', 'run_status', 't'],
      ['alice', 'run_status', 't'],
      ['alice', 'run_status', 't'],
      ['alice', 'thread_unread', 't'],
    ]);
    const statuses = fixture.told.flatMap(({ news }) => ('status' in news.data ? [news.data.status] : []));
    expect(statuses).toEqual(['pending', 'running', 'success']);
    const thread = await fixture.threadRow('t');
    expect(thread?.unread).toBe(1);
    expect(thread?.run_ended_at).toBe((await fixture.run(run.run_id))?.ended_at);
  });

  test('is stored with its busy thread before the request is answered', async () => {
    await fixture.thread('t');
    const { run } = await gateway.runs.start(alice, 't', hello({ metadata: { a: 1 } }));
    expect(run).toMatchObject({ status: 'pending', thread_id: 't', user_id: 'alice', assistant_id: 'agent' });
    const thread = await fixture.threadRow('t');
    expect(thread?.status).toBe('busy');
    expect(JSON.parse(thread?.metadata ?? '')).toEqual({ graph_id: 'agent', assistant_id: 'id-of-agent' });
  });

  test('ends with its values, its totals and an idle thread that has its title', async () => {
    await fixture.thread('t');
    const { result, run } = await startExpecting('t');
    const work = await gateway.runner.next();
    expect(work.request).toMatchObject({ runId: run.run_id, threadId: 't', userId: 'alice', attempt: 1 });
    work.succeed({ title: 'A talk', messages: [] }, { checkpointId: 'c1' });
    expect(await result(forever)).toMatchObject({ values: { title: 'A talk' }, run: { status: 'success' } });
    expect(await fixture.run(run.run_id)).toMatchObject({
      status: 'success',
      message_count: 1,
      first_human_message: 'hello',
      checkpoint_id: 'c1',
      worker_id: null,
    });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle', display_name: 'A talk' });
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('that fails says why beside its values, and its thread has the status error', async () => {
    await fixture.thread('t');
    const { result, run } = await startExpecting('t');
    (await gateway.runner.next()).fail('ModelError', 'no key', { messages: [] });
    expect((await result(forever)).values).toEqual({
      messages: [],
      __error__: { error: 'ModelError', message: 'no key' },
    });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'error' });
    const frames = await collect((await gateway.runs.frames(owner, nameOf(run), all)).source(forever));
    expect(frames).toContain('event: error\n');
    expect(frames).toContain('{"error":"ModelError","message":"no key","name":"ModelError"}');
  });

  test('that throws outside of its graph ends as an error too', async () => {
    await fixture.thread('t');
    const { result } = await startExpecting('t');
    (await gateway.runner.next()).break(new Error('the graph cannot be loaded'));
    expect((await result(forever)).values).toEqual({
      __error__: { error: 'Error', message: 'the graph cannot be loaded' },
    });
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('that asks a human leaves its thread interrupted and shows the question', async () => {
    await fixture.thread('t');
    const { result } = await startExpecting('t');
    const question = { id: 'i1', value: 'sure?' };
    (await gateway.runner.next()).succeed({}, { next: ['ask'], interrupts: { task: [question] } });
    expect((await result(forever)).values).toEqual({ __interrupt__: [question] });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'interrupted' });
  });

  test('that takes too long times out', async () => {
    await fixture.thread('t');
    const { result } = await startExpecting('t');
    await gateway.runner.next();
    fixture.time.advance(60_000);
    expect(await result(forever)).toMatchObject({
      run: { status: 'timeout', stop_reason: 'timeout' },
      values: { __error__: { error: 'TimeoutError', message: 'The run took longer than 60 s.' } },
    });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'error' });
  });

  test('that ignores its timeout is abandoned', async () => {
    await fixture.thread('t');
    gateway.runner.isDeaf = true;
    const { result } = await startExpecting('t');
    await gateway.runner.next();
    fixture.time.advance(60_000);
    fixture.time.advance(10_000);
    expect((await result(forever)).run.status).toBe('timeout');
  });

  test('with after_seconds stays pending until then, and does not hold up others', async () => {
    await fixture.thread('t');
    const later = await startExpecting('t', { after_seconds: 30 });
    expect(later.run.run_at).toBe(toIso(fixture.time.now() + 30_000));
    const now = await startExpecting('t');
    const first = await gateway.runner.next();
    expect(first.runId).toBe(now.run.run_id);
    first.succeed();
    await now.result(forever);
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'busy' });
    // In steps, since a process that stands still for so long loses its lease.
    (await fixture.passUntil(gateway.runner.next())).succeed();
    expect(fixture.time.now()).toBeGreaterThanOrEqual(Date.parse(later.run.run_at ?? ''));
    expect((await later.result(forever)).run.status).toBe('success');
  });

  test('follows up the latest run that succeeded, past those that failed', async () => {
    await fixture.thread('t');
    const first = await startExpecting('t');
    expect(first.run.follow_up_to_run_id).toBeNull();
    (await gateway.runner.next()).succeed();
    await first.result(forever);
    const second = await startExpecting('t');
    (await gateway.runner.next()).fail('Error', 'no');
    await second.result(forever);
    const third = await startExpecting('t');
    expect(third.run.follow_up_to_run_id).toBe(first.run.run_id);
    const fourth = await startExpecting('t', { follow_up_to_run_id: second.run.run_id });
    expect(fourth.run.follow_up_to_run_id).toBe(second.run.run_id);
    await expect(startExpecting('t', { follow_up_to_run_id: 'unknown' })).rejects.toMatchObject({
      code: 'validation_failed',
    });
  });
});

describe('a thread', () => {
  test('that is missing, deleted or another user’s gets no run', async () => {
    await fixture.thread('bobs', 'bob');
    for (const id of ['none', 'bobs'])
      await expect(gateway.runs.start(alice, id, hello())).rejects.toMatchObject({
        code: 'thread_not_found',
      });
    await expect(gateway.runs.start(alice, 'bobs', hello({ if_not_exists: 'create' }))).rejects.toMatchObject(
      {
        code: 'thread_not_found',
      },
    );
    const { run } = await gateway.runs.start(alice, 'new', hello({ if_not_exists: 'create' }));
    expect(run.thread_id).toBe('new');
    expect(await fixture.threadRow('new')).toMatchObject({ user_id: 'alice', status: 'busy' });
  });

  test('of another user is not found wherever the body names it', async () => {
    await fixture.thread('t');
    await fixture.thread('bobs', 'bob');
    const bodies = [
      hello({ config: { configurable: { thread_id: 'bobs' } } }),
      hello({ checkpoint: { thread_id: 'bobs', checkpoint_id: 'c' } }),
    ];
    for (const body of bodies) {
      await expect(gateway.runs.start(alice, 't', body)).rejects.toMatchObject({ code: 'thread_not_found' });
      const stateless = gateway.runs.start(alice, null, body);
      await expect(stateless).rejects.toMatchObject({ code: 'thread_not_found' });
    }
    expect(gateway.runner.begun).toEqual([]);
  });

  test('is passed over by a reader of its thread that comes back when its frames are gone', async () => {
    await fixture.thread('t');
    const ended: string[] = [];
    for (const n of [1, 2]) {
      const { result, run } = await startExpecting('t');
      fixture.states.set(`c${n}`, { ...emptyState, values: { n } });
      (await gateway.runner.next()).succeed({ n }, { checkpointId: `c${n}` });
      await result(forever);
      ended.push(run.run_id);
    }
    await fixture.passUntil(new Promise<void>((resolve) => fixture.time.timer(resolve, 3 * minuteMs)));
    const leave = new AbortController();
    const source = await gateway.runs.threadFrames(owner, 't', {
      position: { runId: ended[0] ?? '', after: 1 },
      modes: ['run_modes', 'lifecycle'],
    });
    const frames = source(leave.signal);
    const next = async () => Buffer.from((await frames.next()).value ?? '').toString();
    expect(await next()).toMatch(/^event: values\ndata: \{"n":2\}/);
    expect(await next()).toContain(`"run_done","run_id":"${ended[1]}"`);
    const coming = next();
    const { run } = await startExpecting('t');
    expect(await coming).toContain(`event: metadata\nid: ${run.run_id}:1`);
    leave.abort();
  });

  test('is refused when the checkpoint that it goes on from is pruned after it was checked', async () => {
    await fixture.thread('t');
    fixture.states.set('old', emptyState);
    const { states } = fixture;
    const get = states.get.bind(states);
    states.get = (id) => {
      const state = get(id);
      states.delete(id);
      return state;
    };
    const forked = gateway.runs.start(alice, 't', hello({ checkpoint_id: 'old' }));
    await expect(forked).rejects.toMatchObject({ code: 'checkpoint_not_found' });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle' });
  });

  test('works on its runs one after the other, in the order in which they came', async () => {
    await fixture.thread('t');
    const started = [];
    for (let n = 0; n < 3; n += 1) started.push(await startExpecting('t'));
    for (const { run, result } of started) {
      const work = await gateway.runner.next();
      expect(work.runId).toBe(run.run_id);
      expect(gateway.runner.unseen).toBe(0);
      work.succeed();
      await result(forever);
    }
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle' });
  });
});

describe('while a thread has a run', () => {
  async function withTwo() {
    await fixture.thread('t');
    const first = await startExpecting('t');
    const work = await gateway.runner.next();
    const second = await startExpecting('t');
    return { first, second, work };
  }

  test('reject refuses another one, and admits one of two that come at once', async () => {
    await fixture.thread('t');
    const asked = await Promise.allSettled([
      startExpecting('t', { multitask_strategy: 'reject' }),
      startExpecting('t', { multitask_strategy: 'reject' }),
    ]);
    const [won] = asked.filter(({ status }) => status === 'fulfilled');
    const [lost] = asked.filter(({ status }) => status === 'rejected');
    expect(won).toBeDefined();
    expect((lost as PromiseRejectedResult).reason).toMatchObject({
      code: 'run_active',
      message: 'Thread t already has an active run',
    });
  });

  test('interrupt stops all of them, and the new one continues from what they have done', async () => {
    const { first, second, work } = await withTwo();
    fixture.states.set('t', { ...emptyState, values: { half: true }, next: ['step'] } as WireState);
    const third = await startExpecting('t', { multitask_strategy: 'interrupt' });
    expect(await second.result(forever)).toMatchObject({ run: { status: 'interrupted', attempt: 0 } });
    expect(await first.result(forever)).toMatchObject({
      run: { status: 'interrupted' },
      values: { half: true },
    });
    expect(work.tools.signal.aborted).toBe(true);
    const next = await gateway.runner.next();
    expect(next.runId).toBe(third.run.run_id);
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'busy' });
    next.succeed();
    await third.result(forever);
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('rollback undoes what the run at work has done', async () => {
    const { first, second } = await withTwo();
    const third = await startExpecting('t', { multitask_strategy: 'rollback' });
    for (const { result } of [first, second]) {
      expect(await result(forever)).toMatchObject({
        run: { status: 'interrupted', error: 'Rolled back by user', stop_reason: 'rolled_back' },
      });
    }
    expect(fixture.rolledBack).toEqual([first.run.run_id]);
    (await gateway.runner.next()).succeed();
    expect((await third.result(forever)).run.status).toBe('success');
  });
});

describe('cancel', () => {
  test('ends a run that has not begun at once, without a worker', async () => {
    await fixture.thread('t');
    const first = await startExpecting('t');
    const work = await gateway.runner.next();
    const second = await startExpecting('t');
    await gateway.runs.cancel(owner, nameOf(second.run), 'interrupt');
    expect((await second.result(forever)).run).toMatchObject({ status: 'interrupted', attempt: 0 });
    const frames = await gateway.runs.frames(owner, nameOf(second.run), all);
    expect(events(await collect(frames.source(forever)))).toEqual([]);
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'busy' });
    work.succeed();
    await first.result(forever);
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle' });
  });

  test('is stored when it is answered, and can be repeated', async () => {
    await fixture.thread('t');
    const { run, result } = await startExpecting('t');
    gateway.runner.isDeaf = true;
    const work = await gateway.runner.next();
    await gateway.runs.cancel(owner, nameOf(run), 'interrupt');
    expect(await fixture.run(run.run_id)).toMatchObject({ status: 'running', cancel_action: 'interrupt' });
    await gateway.runs.cancel(owner, nameOf(run), 'rollback');
    expect(await fixture.run(run.run_id)).toMatchObject({ cancel_action: 'interrupt' });
    work.break(work.tools.signal.reason);
    expect((await result(forever)).run.status).toBe('interrupted');
    await gateway.runs.cancel(owner, nameOf(run), 'interrupt');
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle' });
  });

  test('between the claim and its commit reaches the run', async () => {
    await fixture.thread('t');
    const { run, result } = await startExpecting('t');
    await gateway.runs.cancel(owner, nameOf(run), 'interrupt');
    expect((await result(forever)).run.status).toBe('interrupted');
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('of a finished run is refused', async () => {
    await fixture.thread('t');
    const { run, result } = await startExpecting('t');
    (await gateway.runner.next()).succeed();
    await result(forever);
    await expect(gateway.runs.cancel(owner, nameOf(run), 'interrupt')).rejects.toMatchObject({
      code: 'run_not_cancellable',
      message: `Run ${run.run_id} is not cancellable (status: success)`,
    });
  });

  test('keeps the question that an earlier run has asked a human', async () => {
    await fixture.thread('t');
    const asking = await startExpecting('t');
    const interrupts = { task: [{ id: 'i', value: 'sure?' }] };
    (await gateway.runner.next()).succeed({}, { next: ['ask'], interrupts });
    await asking.result(forever);
    const { run } = await startExpecting('t', { after_seconds: 60 });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'busy' });
    await gateway.runs.cancel(owner, nameOf(run), 'interrupt');
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'interrupted' });
  });

  test('stops several by id, by thread and by status', async () => {
    await fixture.thread('a');
    await fixture.thread('b');
    const runs = [await startExpecting('a'), await startExpecting('a'), await startExpecting('b')];
    await gateway.runner.next();
    await gateway.runner.next();
    const ids = runs.map(({ run }) => run.run_id);
    await expect(
      gateway.runs.cancelMany({ user: 'bob' }, { runIds: ids }, 'interrupt'),
    ).rejects.toMatchObject({
      code: 'run_not_found',
    });
    const pending = await gateway.runs.cancelMany(owner, { status: 'pending' }, 'interrupt');
    expect(pending.map(({ run_id }) => run_id)).toEqual([ids[1]]);
    const ofThread = await gateway.runs.cancelMany(owner, { threadId: 'a' }, 'interrupt');
    expect(ofThread.map(({ run_id }) => run_id)).toEqual([ids[0]]);
    await gateway.runs.cancelMany(owner, { runIds: ids }, 'interrupt');
    for (const { result } of runs) expect((await result(forever)).run.status).toBe('interrupted');
  });
});

describe('a stream', () => {
  test('begins with metadata and ends with the run, for every reader', async () => {
    await fixture.thread('t');
    const { run, result } = await startExpecting('t');
    const live = collect(gateway.runs.framesOf(run)(forever));
    const work = await gateway.runner.next();
    work.tools.frame('values', { n: 1 });
    work.tools.frame('messages', [{ id: 'm' }, {}]);
    work.tools.frame('updates|sub:1', { node: {} });
    const joined = collect((await gateway.runs.frames(owner, nameOf(run), all)).source(forever));
    work.succeed();
    await result(forever);
    expect(events(await live)).toEqual(['metadata', 'values', 'messages', 'updates|sub:1']);
    expect(await joined).toBe(await live);
    expect(await live).toContain(`data: {"run_id":"${run.run_id}","thread_id":"t","attempt":1}`);
    const modes = ['values', 'updates'] as const;
    const some = await gateway.runs.frames(owner, nameOf(run), { after: 0, modes });
    expect(events(await collect(some.source(forever)))).toEqual(['metadata', 'values', 'updates|sub:1']);
    const rest = await gateway.runs.frames(owner, nameOf(run), { after: 2, modes: null });
    expect(events(await collect(rest.source(forever)))).toEqual(['messages', 'updates|sub:1']);
  });

  test('of a run that is over and no longer kept consists of its final values', async () => {
    await fixture.thread('t');
    const { run, result } = await startExpecting('t');
    (await gateway.runner.next()).succeed({ n: 1 }, { checkpointId: 'c' });
    await result(forever);
    fixture.states.set('c', { ...emptyState, values: { n: 1 } } as WireState);
    fixture.time.advance(10 * 60_000);
    const frames = await gateway.runs.frames(owner, nameOf(run), all);
    expect(await collect(frames.source(forever))).toBe('event: values\ndata: {"n":1}\n\n');
  });

  test('of another user’s run is not found', async () => {
    await fixture.thread('t');
    const { run } = await startExpecting('t');
    const byOther = { user: 'bob' };
    const asked = [nameOf(run), { threadId: null, runId: run.run_id }].map((name) =>
      gateway.runs.frames(byOther, name, all),
    );
    for (const each of asked) await expect(each).rejects.toMatchObject({ status: 404 });
  });

  test('of a shared thread shows each user only their own runs', async () => {
    await fixture.thread('shared', null);
    const { run } = await startExpecting('shared');
    expect(await gateway.runs.list({ user: 'bob' }, 'shared', {})).toEqual([]);
    await expect(gateway.runs.get({ user: 'bob' }, nameOf(run))).rejects.toMatchObject({
      code: 'run_not_found',
    });
    await gateway.runs.start(bob, 'shared', hello());
    expect(await gateway.runs.list(owner, 'shared', {})).toHaveLength(1);
  });
});

describe('a run without a thread', () => {
  test('gets a temporary thread, which is deleted with it', async () => {
    const { run, result } = await gateway.runs.start(alice, null, hello(), { claim: true, expect: true });
    expect(await fixture.threadRow(run.thread_id)).toMatchObject({ user_id: 'alice', status: 'busy' });
    (await gateway.runner.next()).succeed({ n: 1 });
    expect((await result(forever)).values).toEqual({ n: 1 });
    await fixture.settled();
    expect(await fixture.threadRow(run.thread_id)).toBeUndefined();
    expect(await fixture.run(run.run_id)).toBeUndefined();
  });

  test('keeps its thread when the mount or the request says so', async () => {
    const kept = [
      await gateway.runs.start({ ...alice, mount: '/api' }, null, hello(), { claim: true, expect: true }),
      await gateway.runs.start(alice, null, hello({ on_completion: 'keep' }), { claim: true, expect: true }),
      await gateway.runs.start(alice, null, hello({ config: { configurable: { thread_id: 'mine' } } }), {
        claim: true,
        expect: true,
      }),
    ];
    for (let n = 0; n < kept.length; n += 1) (await gateway.runner.next()).succeed();
    for (const { run, result } of kept) {
      await result(forever);
      expect(await fixture.threadRow(run.thread_id)).toMatchObject({ status: 'idle' });
    }
    expect(kept[2]?.run.thread_id).toBe('mine');
  });

  test('starts in batches, all of which are checked before one begins', async () => {
    await expect(
      gateway.runs.startBatch(alice, [hello(), hello({ assistant_id: 'nobody' })]),
    ).rejects.toMatchObject({ code: 'assistant_not_found' });
    expect(await fixture.database.read.selectFrom('runs').selectAll().execute()).toEqual([]);
    const runs = await gateway.runs.startBatch(alice, [hello(), hello()]);
    expect(new Set(runs.map(({ thread_id }) => thread_id)).size).toBe(2);
  });
});

describe('deleting', () => {
  test('a run removes one that has ended, with its events', async () => {
    await fixture.thread('t');
    const { run, result } = await startExpecting('t');
    const work = await gateway.runner.next();
    await expect(gateway.runs.delete(owner, nameOf(run))).rejects.toMatchObject({ code: 'run_open' });
    work.succeed();
    await result(forever);
    await gateway.runs.delete(owner, nameOf(run));
    expect(await fixture.run(run.run_id)).toBeUndefined();
    expect(await fixture.database.read.selectFrom('run_events').selectAll().execute()).toEqual([]);
    await expect(gateway.runs.delete(owner, nameOf(run))).rejects.toMatchObject({ code: 'run_not_found' });
  });

  test('a thread stops its runs first, and nothing of them comes back', async () => {
    await fixture.thread('t');
    const { run } = await startExpecting('t');
    await startExpecting('t');
    const work = await gateway.runner.next();
    await gateway.deleteThread('t');
    expect(work.tools.signal.aborted).toBe(true);
    expect(await fixture.run(run.run_id)).toBeUndefined();
    work.tools.recorder.record({ event_type: 'late', category: 'trace', content: '' });
    await work.tools.recorder.flush().catch(() => undefined);
    for (const table of ['threads', 'runs', 'run_inputs', 'run_events'] as const)
      expect(await fixture.database.read.selectFrom(table).selectAll().execute()).toEqual([]);
    await expect(gateway.runs.start(alice, 't', hello({ if_not_exists: 'create' }))).rejects.toMatchObject({
      code: 'thread_not_found',
    });
  });

  test('a thread waits only a limited time for a run that ignores its stop', async () => {
    await fixture.thread('t');
    await startExpecting('t');
    gateway.runner.isDeaf = true;
    await gateway.runner.next();
    await fixture.passUntil(gateway.deleteThread('t'));
    expect(await fixture.threadRow('t')).toBeUndefined();
  });

  test('a thread is refused while another process has its run and does not stop it', async () => {
    const stalled = await fixture.start({ time: new ManualTime() });
    await fixture.thread('t');
    await stalled.runs.start(alice, 't', hello());
    await stalled.runner.next();
    stalled.kill();
    await expect(fixture.passUntil(gateway.deleteThread('t'))).rejects.toMatchObject({ code: 'thread_busy' });
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'busy' });
  });
});

const all = { after: 0, modes: null } as const;

function nameOf({ thread_id, run_id }: RunResult['run']) {
  return { threadId: thread_id, runId: run_id };
}
