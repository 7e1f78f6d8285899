import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConversationDatabase } from '../../../testing/journal-fixture.ts';
import { ManualTime } from '../../../testing/manual-time.ts';
import type { SpanMark } from '../../agents/run-contract/run-record.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DatabaseOptions } from '../../platform/database/open.ts';
import type { ConversationTables } from '../tables.ts';
import { openEventStorage } from './create-journal.ts';
import { Journal } from './journal.ts';
import type { RunRecorder } from './run-recorder.ts';
import { RunSpanStore } from './run-span-store.ts';

const name = { threadId: 't', runId: 'r' };
const page = { ...name, after: null, changedAfter: null, limit: 100 };

const postgres = testPostgres('the spans of a run on Postgres');

describe('the spans of a run on SQLite', () => spansBehave(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  spansBehave(async () => patientPostgres(await postgres.createDatabase(), 2)),
);

function spansBehave(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let spans: RunSpanStore;
  let journal: Journal;
  let time: ManualTime;
  beforeEach(async () => {
    time = new ManualTime(Date.UTC(2030, 0, 1));
    database = await openConversationDatabase(await where());
    spans = new RunSpanStore(database);
    journal = new Journal({
      storage: openEventStorage({ backend: 'db', database, home: '/nowhere' }),
      maxTraceBytes: 1_000,
      trackTokens: true,
      now: time.now,
      timer: time.timer,
      onFlushFailed: (error) => expect.fail(String(error)),
    });
  });
  afterEach(() => database.close());

  const recorder = (attempt = 1): Promise<RunRecorder> =>
    journal.recorderFor({ ...name, userId: 'u', attempt, followUpTo: null });

  it('that take long are stored when they begin, and those that are short with what follows them', async () => {
    const run = await recorder();
    run.mark(begin('a'));
    expect(await spans.list(page)).toEqual([]);
    time.advance(250);
    await expect
      .poll(() => spans.list(page))
      .toMatchObject([{ name: 'a', ended_at: null, state: 'running' }]);
    time.advance(750);
    run.mark({ type: 'end', key: 'a', state: 'success' });
    run.mark(begin('b'));
    run.mark({ type: 'end', key: 'b', state: 'error' });
    await run.write();
    expect(await spans.list(page)).toMatchObject([
      {
        name: 'a',
        started_at: '2030-01-01T00:00:00.000Z',
        ended_at: '2030-01-01T00:00:01.000Z',
        state: 'success',
      },
      { name: 'b', state: 'error' },
    ]);
  });

  it('name the task that they wait for, also when it is known only after their beginning was stored', async () => {
    const run = await recorder();
    run.mark({ ...begin('call'), kind: 'tool', toolCallId: 'call_1' });
    time.advance(250);
    await expect.poll(() => spans.list(page)).toMatchObject([{ task_id: null }]);
    run.mark({ type: 'task', key: 'call', taskId: 'task-1' });
    time.advance(250);
    await expect.poll(() => spans.list(page)).toMatchObject([{ task_id: 'task-1', ended_at: null }]);
  });

  it('have their place below the tool call around them, and add their tokens to it', async () => {
    const run = await recorder();
    run.mark({ ...begin('task'), kind: 'tool', toolCallId: 'call_1' });
    run.mark({ type: 'subagent', key: 'task', name: 'looker' });
    run.mark({ ...begin('one'), within: 'task' });
    run.mark({
      type: 'end',
      key: 'one',
      state: 'success',
      model: 'm',
      usage: { input_tokens: 3, output_tokens: 2 },
    });
    run.mark({ ...begin('two'), within: 'task' });
    run.mark({
      type: 'end',
      key: 'two',
      state: 'success',
      model: 'n',
      usage: { input_tokens: 1, output_tokens: 1 },
    });
    await run.flush();
    const [task, one, two] = await spans.list(page);
    expect(task).toMatchObject({ kind: 'subagent', name: 'looker', tool_call_id: 'call_1', parent_id: null });
    expect([one?.parent_id, two?.parent_id]).toEqual([task?.span_id, task?.span_id]);
    expect(JSON.parse(task?.usage ?? '')).toEqual({
      m: { tokens: 5, input_tokens: 3, output_tokens: 2, calls: 1 },
      n: { tokens: 2, input_tokens: 1, output_tokens: 1, calls: 1 },
    });
  });

  it('of a process that was lost end as interrupted when the next attempt begins, and stay', async () => {
    const lost = await recorder(1);
    lost.mark(begin('call'));
    await lost.write();
    time.advance(5_000);
    const next = await recorder(2);
    next.mark(begin('call'));
    await next.write();
    expect(await spans.list(page)).toMatchObject([
      { attempt: 1, state: 'interrupted', ended_at: '2030-01-01T00:00:05.000Z' },
      { attempt: 2, state: 'running', ended_at: null },
    ]);
  });

  it('that have not ended end with the run', async () => {
    const run = await recorder();
    run.mark(begin('call'));
    run.recordEnd({ status: 'interrupted' });
    run.mark(begin('late'));
    await run.write();
    expect(await spans.list(page)).toMatchObject([{ name: 'call', state: 'interrupted' }]);
  });

  it('that could not be written are written with the next unit', async () => {
    const run = await recorder();
    run.mark(begin('call'));
    await expect(run.write(async () => Promise.reject(new Error('full')))).rejects.toThrow('full');
    expect(await spans.list(page)).toEqual([]);
    await run.write();
    expect(await spans.list(page)).toHaveLength(1);
  });

  it('say what has changed since a revision, also when an earlier attempt is ended', async () => {
    const run = await recorder(1);
    run.mark(begin('a'));
    run.mark(begin('b'));
    await run.write();
    const seen = await spans.revision(name);
    run.mark({ type: 'end', key: 'a', state: 'success' });
    await run.write();
    expect(await spans.list({ ...page, changedAfter: seen })).toMatchObject([{ name: 'a' }]);
    const later = await spans.revision(name);
    await (await recorder(2)).write();
    expect(await spans.list({ ...page, changedAfter: later })).toMatchObject([
      { name: 'b', state: 'interrupted' },
    ]);
  });

  it('go with their run and with their thread', async () => {
    const run = await recorder();
    run.mark(begin('a'));
    await run.write();
    await database.write((trx) => journal.deleteRun(trx, { ...name, userId: 'u' }));
    expect(await spans.list(page)).toEqual([]);
    run.mark({ type: 'end', key: 'a', state: 'success' });
    await run.write();
    await database.write((trx) => journal.deleteThread(trx, 't'));
    expect(await spans.list(page)).toEqual([]);
  });
}

function begin(key: string): SpanMark & { type: 'begin' } {
  return { type: 'begin', key, kind: 'model', name: key, within: null, toolCallId: null };
}
