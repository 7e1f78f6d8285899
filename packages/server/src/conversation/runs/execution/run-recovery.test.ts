import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualTime } from '../../../../testing/manual-time.ts';
import {
  alice,
  expectAgreement,
  hello,
  openRunsFixture,
  type RunsFixture,
} from '../../../../testing/runs-fixture.ts';
import type { WireState } from '../../../agents/state/wire-state.ts';
import { emptyState } from '../../../agents/state/wire-state.ts';
import { AppError } from '../../../lib/app-error.ts';
import type { RunRow } from '../../tables.ts';

const owner = { user: 'alice' };
const forever = new AbortController().signal;

let fixture: RunsFixture;

beforeEach(async () => {
  fixture = await openRunsFixture();
  await fixture.thread('t');
});

afterEach(() => fixture.close());

/** A process that died while it worked on a run, and the number of runs that wait behind that one. */
async function died({ waiting = 0 } = {}) {
  const dying = await fixture.start();
  const { run } = await dying.runs.start(alice, 't', hello());
  const work = await dying.runner.next();
  const others: RunRow[] = [];
  for (let n = 0; n < waiting; n += 1) others.push((await dying.runs.start(alice, 't', hello())).run);
  dying.kill();
  return { run, work, others };
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of source) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('after a crash', () => {
  test('a run continues as its second attempt, and those behind it follow', async () => {
    const { run, others } = await died({ waiting: 2 });
    const next = await fixture.start({ isAlone: true });
    for (const [index, row] of [run, ...others].entries()) {
      const work = await next.runner.next();
      expect(work.request).toMatchObject({ runId: row.run_id, attempt: index === 0 ? 2 : 1 });
      const ended = next.runs.result(row, forever);
      work.succeed();
      expect((await ended).run.status).toBe('success');
      expect(await expectAgreement(fixture)).toEqual([]);
    }
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'idle' });
  });

  test('a stream begins again from the start, and its ids ascend', async () => {
    const { run } = await died();
    fixture.states.set('t', { ...emptyState, values: { n: 1 } } as WireState);
    const next = await fixture.start({ isAlone: true });
    const { source } = await next.runs.frames(owner, nameOf(run), { after: 7, modes: null });
    const text = collect(source(forever));
    const work = await next.runner.next();
    work.tools.frame('values', { n: 2 });
    work.succeed({ n: 2 });
    const frames = (await text)
      .split('\n\n')
      .filter(Boolean)
      .map((frame) => frame.split('\n'));
    expect(frames.map(([event]) => event)).toEqual([
      'event: gap',
      'event: metadata',
      'event: values',
      'event: values',
    ]);
    expect(frames[1]).toEqual([
      'event: metadata',
      'id: 1000001',
      `data: {"run_id":"${run.run_id}","thread_id":"t","attempt":2}`,
    ]);
    expect(frames[2]).toContain('data: {"n":1}');
    expect(frames[3]).toContain('id: 1000003');
  });

  test('the message of the user is in the journal once', async () => {
    const { work } = await died();
    expect(work.request.input).toMatchObject({ messages: [{ content: 'hello' }] });
    const next = await fixture.start({ isAlone: true });
    const again = await next.runner.next();
    // It has its id from the request, so that state and stream know it by the same id.
    expect(again.request.input).toEqual(work.request.input);
    const ended = next.runs.result((await fixture.run(again.runId)) as RunRow, forever);
    again.succeed();
    expect((await ended).run).toMatchObject({ message_count: 1 });
    const rows = await fixture.database.read
      .selectFrom('run_events')
      .select('event_type')
      .where('category', '=', 'message')
      .execute();
    expect(rows).toEqual([{ event_type: 'human_message' }]);
  });

  test('a run ends as an error with a clear reason when it is configured to', async () => {
    const { run } = await died();
    const next = await fixture.start({ isAlone: true, onRecovery: 'fail' });
    const { run: ended, values } = await next.runs.result(run, forever);
    expect(ended).toMatchObject({ status: 'error', error_name: 'RunLost', stop_reason: 'orphan_recovered' });
    expect(values.__error__).toMatchObject({ message: expect.stringContaining('The gateway stopped') });
    expect(next.runner.begun).toEqual([]);
    expect(await fixture.threadRow('t')).toMatchObject({ status: 'error' });
  });

  test('a run that crashes the gateway again and again is started ten times and no more', async () => {
    let { run } = await died();
    for (let attempt = 2; attempt <= 10; attempt += 1) {
      const dying = await fixture.start({ isAlone: true });
      expect((await dying.runner.next()).request.attempt).toBe(attempt);
      dying.kill();
    }
    const next = await fixture.start({ isAlone: true });
    ({ run } = await next.runs.result(run, forever));
    expect(run).toMatchObject({ status: 'error', stop_reason: 'orphan_recovered' });
    expect(next.runner.begun).toEqual([]);
  });

  test('a run that had to stop ends without being started again, and is rolled back when that was requested', async () => {
    const stalled = await fixture.start({ time: new ManualTime() });
    const { run } = await stalled.runs.start(alice, 't', hello());
    await stalled.runner.next();
    stalled.kill();
    const next = await fixture.start();
    await next.runs.cancel(owner, nameOf(run), 'rollback');
    const { run: ended } = await fixture.passUntil(next.runs.result(run, forever));
    expect(ended).toMatchObject({ status: 'interrupted', error: 'Rolled back by user' });
    expect(fixture.rolledBack).toEqual([run.run_id]);
    expect(next.runner.begun).toEqual([]);
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('a thread that was to be deleted with its run is deleted', async () => {
    const dying = await fixture.start();
    const { run } = await dying.runs.start(alice, null, hello());
    await fixture.database.write((trx) =>
      trx
        .updateTable('runs')
        .set({ status: 'success', ended_at: run.created_at })
        .where('run_id', '=', run.run_id)
        .execute(),
    );
    dying.kill();
    await fixture.start({ isAlone: true });
    expect(await fixture.threadRow(run.thread_id)).toBeUndefined();
  });
});

describe('beside other processes', () => {
  test('the runs of a process that has died are taken over when its lease lapses', async () => {
    const dying = await fixture.start({ time: new ManualTime() });
    const { run } = await dying.runs.start(alice, 't', hello());
    await dying.runner.next();
    dying.kill();
    const other = await fixture.start();
    expect(await fixture.run(run.run_id)).toMatchObject({ status: 'running', attempt: 1 });
    const work = await fixture.passUntil(other.runner.next());
    expect(work.request).toMatchObject({ runId: run.run_id, attempt: 2 });
    work.succeed();
    expect((await other.runs.result(run, forever)).run.status).toBe('success');
  });

  test('a reader of messages alone is told what is left of the answer that the dead process has begun', async () => {
    const dying = await fixture.start({ time: new ManualTime() });
    const { run } = await dying.runs.start(alice, 't', hello());
    const half = await dying.runner.next();
    half.tools.frame('messages', [{ id: 'half' }]);
    dying.kill();
    fixture.states.set('t', { ...emptyState, values: { messages: [{ id: 'question' }] } });
    const other = await fixture.start();
    const work = await fixture.passUntil(other.runner.next());
    work.tools.frame('updates', {});
    work.tools.frame('messages', [{ id: 'whole' }]);
    work.succeed();
    const modes = ['messages-tuple'] as const;
    const { source } = await other.runs.frames(owner, nameOf(run), { after: 1, modes });
    const text = await collect(source(forever));
    expect(text.match(/^(event|data): .*$/gm)).toEqual([
      'event: gap',
      expect.stringContaining('reload_durable_state'),
      'event: metadata',
      expect.stringContaining('"attempt":2'),
      'event: values',
      'data: {"messages":[{"id":"question"}]}',
      'event: messages',
      'data: [{"id":"whole"}]',
    ]);
  });

  test('a process that was suspended has lost its run when it continues, and writes nothing more', async () => {
    const frozen = await fixture.start({ time: new ManualTime() });
    const { run } = await frozen.runs.start(alice, 't', hello());
    const late = await frozen.runner.next();
    const other = await fixture.start();
    const work = await fixture.passUntil(other.runner.next());
    late.tools.recorder.record({ event_type: 'late', category: 'trace', content: '' });
    await expect(late.tools.recorder.flush()).rejects.toThrow('lost');
    const stream = collect(frozen.runs.framesOf(run)(forever));
    late.succeed({ title: 'late' });
    await expect(stream).rejects.toMatchObject({ name: 'StreamBroken' });
    expect(await fixture.run(run.run_id)).toMatchObject({ status: 'running', attempt: 2 });
    const ended = other.runs.result(run, forever);
    work.succeed({ title: 'in time' });
    expect((await ended).run.status).toBe('success');
    expect(await fixture.threadRow('t')).toMatchObject({ display_name: 'in time', status: 'idle' });
    const types = await fixture.database.read.selectFrom('run_events').select('event_type').execute();
    expect(types).not.toContainEqual({ event_type: 'late' });
  });

  test('a process that shuts down releases its runs at once and breaks off the streams of its readers', async () => {
    const first = await fixture.start();
    const { run } = await first.runs.start(alice, 't', hello());
    const work = await first.runner.next();
    const stream = collect(first.runs.framesOf(run)(forever));
    const broken = expect(stream).rejects.toMatchObject({ name: 'StreamBroken', reason: 'abandoned' });
    await first.close();
    await broken;
    expect(work.tools.signal.aborted).toBe(true);
    expect(await fixture.run(run.run_id)).toMatchObject({ status: 'running', worker_id: null });
    const next = await fixture.start();
    const again = await next.runner.next();
    expect(again.request).toMatchObject({ runId: run.run_id, attempt: 2 });
  });

  test('a run is cancelled on the process that owns it, and every waiting caller is told of its end', async () => {
    const one = await fixture.start();
    const { run } = await one.runs.start(alice, 't', hello());
    const work = await one.runner.next();
    const other = await fixture.start();
    const ended = other.runs.result(run, forever);
    await other.runs.cancel(owner, nameOf(run), 'interrupt');
    expect((await ended).run.status).toBe('interrupted');
    expect(work.tools.signal.aborted).toBe(true);
  });

  test('a run is worked on once, however many processes hear of it', async () => {
    const processes = [await fixture.start(), await fixture.start(), await fixture.start()];
    const started = await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const threadId = await fixture.thread(`many-${n % 4}`);
        return (processes[n % 3] as (typeof processes)[number]).runs.start(alice, threadId, hello(), {
          claim: true,
          expect: true,
        });
      }),
    );
    for (const { runner } of processes) void endAll(runner);
    for (const { result } of started) expect((await result(forever)).run.status).toBe('success');
    const begun = processes.flatMap(({ runner }) => runner.begun.map(({ runId }) => runId));
    expect(new Set(begun).size).toBe(12);
    expect(begun).toHaveLength(12);
    expect(await expectAgreement(fixture)).toEqual([]);
  });
});

describe('with a database that fails', () => {
  const unavailable = new AppError('database_unavailable');

  test('a run is claimed and ended as soon as the database answers again', async () => {
    const gateway = await fixture.start();
    const { run, result } = await gateway.runs.start(alice, 't', hello({ after_seconds: 3 }), {
      claim: true,
      expect: true,
    });
    gateway.failWrites(3, { error: unavailable });
    const work = await fixture.passUntil(gateway.runner.next());
    gateway.failWrites(3, { error: unavailable });
    work.succeed({ n: 1 });
    expect(await fixture.passUntil(result(forever))).toMatchObject({
      run: { status: 'success' },
      values: { n: 1 },
    });
    expect(await fixture.run(run.run_id)).toMatchObject({ attempt: 1 });
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('a run that breaks off because of it goes on as its next attempt', async () => {
    const gateway = await fixture.start();
    const { run, result } = await gateway.runs.start(alice, 't', hello(), { claim: true, expect: true });
    (await gateway.runner.next()).break(unavailable);
    const again = await fixture.passUntil(gateway.runner.next());
    expect(again.request).toMatchObject({ runId: run.run_id, attempt: 2 });
    again.succeed({ n: 1 });
    expect(await result(forever)).toMatchObject({ run: { status: 'success' }, values: { n: 1 } });
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('a run whose end cannot be stored as it is ends as an error', async () => {
    const gateway = await fixture.start();
    const { result } = await gateway.runs.start(alice, 't', hello(), { claim: true, expect: true });
    const work = await gateway.runner.next();
    gateway.failWrites(1, { error: new Error('value too long') });
    work.succeed({ n: 1 });
    expect((await result(forever)).run).toMatchObject({
      status: 'error',
      error: 'The last events and the state of the run could not be stored.',
    });
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('a claim whose answer was lost is resumed', async () => {
    const gateway = await fixture.start();
    const { run, result } = await gateway.runs.start(alice, 't', hello({ after_seconds: 3 }), {
      claim: true,
      expect: true,
    });
    gateway.failWrites(1, { error: unavailable, afterCommit: true });
    const work = await fixture.passUntil(gateway.runner.next());
    expect(work.request).toMatchObject({ runId: run.run_id, attempt: 2 });
    work.succeed();
    expect((await result(forever)).run.status).toBe('success');
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('an end whose answer was lost is found to be written', async () => {
    const gateway = await fixture.start();
    const { run } = await gateway.runs.start(alice, 't', hello());
    const waiting = gateway.runs.result(run, forever);
    const work = await gateway.runner.next();
    gateway.failWrites(1, { error: unavailable, afterCommit: true });
    work.succeed();
    expect((await fixture.passUntil(waiting)).run.status).toBe('success');
    expect(await expectAgreement(fixture)).toEqual([]);
  });

  test('a lease that cannot be renewed is lost with its runs, which continue under the next one', async () => {
    const gateway = await fixture.start();
    const { run } = await gateway.runs.start(alice, 't', hello());
    const work = await gateway.runner.next();
    gateway.failWrites(Number.POSITIVE_INFINITY, { error: unavailable });
    await fixture.passUntil(new Promise((resolve) => work.tools.signal.addEventListener('abort', resolve)));
    expect(await fixture.run(run.run_id)).toMatchObject({ status: 'running', attempt: 1 });
    gateway.failWrites(0, { error: unavailable });
    const again = await fixture.passUntil(gateway.runner.next());
    expect(again.request).toMatchObject({ runId: run.run_id, attempt: 2 });
    again.succeed();
    expect((await gateway.runs.result(run, forever)).run.status).toBe('success');
    expect(await expectAgreement(fixture)).toEqual([]);
  });
});

async function endAll(runner: { next(): Promise<{ succeed(): void }> }): Promise<never> {
  for (;;) (await runner.next()).succeed();
}

function nameOf({ thread_id, run_id }: RunRow) {
  return { threadId: thread_id, runId: run_id };
}
