import type { RunCreate } from '@switchyard/contract/conversation/run';
import type { NewScheduledTask } from '@switchyard/contract/conversation/scheduled-task';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { AppError } from '../../lib/app-error.ts';
import { toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { dayMs, hourMs, minuteMs } from '../../lib/time-units.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import type { JobHandler, NewJob } from '../../platform/jobs/jobs.ts';
import { conversationMigrations } from '../migrations.ts';
import type { RunCaller } from '../runs/intake/run-intake.ts';
import type { ConversationTables, RunRow } from '../tables.ts';
import { Crons } from './crons.ts';
import { ScheduleClock } from './schedule-clock.ts';
import { alignKind, launchDelaysMs, launchKind } from './schedule-jobs.ts';
import { releaseThread, ScheduleStore } from './schedule-store.ts';
import { ScheduledTasks } from './scheduled-tasks.ts';
import { Schedules } from './schedules.ts';

const postgres = testPostgres('schedules on Postgres');
const ada = { user: 'ada' };

describe('schedules in memory', () => schedulesRun(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  schedulesRun(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

/** Starts no graph: runs are rows here, and a test ends them. */
interface StartedRun {
  caller: RunCaller;
  threadId: string | null;
  body: RunCreate;
  row: RunRow;
}

function schedulesRun(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let time: ManualTime;
  let store: ScheduleStore;
  let clockwork: ScheduleClock;
  let tasks: ScheduledTasks;
  let crons: Crons;
  let handlers: Map<string, JobHandler>;
  let jobs: Map<string, NewJob>;
  let started: StartedRun[];
  let isLocked: boolean;
  let refusal: Error | null;
  /** The time by which the clock of the process is behind that of the database. */
  let behindMs: number;
  /** The process ends after it has started a run, before it can write that down. */
  let diesAfterStart: boolean;

  beforeEach(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    time = new ManualTime();
    store = new ScheduleStore(database);
    handlers = new Map();
    jobs = new Map();
    started = [];
    behindMs = 0;
    [isLocked, refusal, diesAfterStart] = [false, null, false];
    const queue = {
      register: (kind: string, handler: JobHandler) => void handlers.set(kind, handler),
      enqueue: async (_trx: unknown, job: NewJob) => void jobs.set(`${job.kind} ${job.key}`, job),
      wake: () => undefined,
    };
    const runs = {
      check: async () => undefined,
      look: async (_owner: unknown, { runId }: { runId: string }) =>
        started.find(({ row }) => row.run_id === runId)?.row ?? null,
      start: async (caller: RunCaller, threadId: string | null, body: RunCreate) => {
        if (refusal) throw refusal;
        const row = {
          run_id: caller.runId,
          thread_id: threadId ?? newId(),
          user_id: caller.userId,
        } as RunRow;
        started.push({ caller, threadId, body, row });
        if (diesAfterStart) throw new Error('killed');
        const result = async () => ({ run: row, values: {} });
        return { run: row, kwargs: '{}', onDisconnect: 'continue' as const, result };
      },
    };
    const shared = { store, jobs: queue, runs, clock: time.now, log: { warn: () => undefined } };
    clockwork = new ScheduleClock({
      ...shared,
      clock: () => time.now() - behindMs,
      unitClock: async () => time.now(),
      mayStart: async () => !isLocked,
    });
    const schedules = new Schedules({ ...shared, clockwork, newId });
    tasks = new ScheduledTasks({ schedules, access: { require: async () => null } });
    crons = new Crons(schedules);
  });
  afterEach(() => database.close());

  const every = (cron: string, more: Partial<NewScheduledTask> = {}) =>
    tasks.create(ada, {
      title: 'News',
      prompt: 'What is new?',
      schedule_type: 'cron',
      schedule_spec: { cron },
      timezone: 'UTC',
      ...more,
    });
  const once = (afterMs: number) =>
    every('', { schedule_type: 'once', schedule_spec: { run_at: toIso(time.now() + afterMs) } });
  const history = (id: string) => tasks.history(ada, id, { limit: 50, offset: 0 });
  const statuses = async (id: string) => (await history(id)).map(({ status }) => status);

  /** Works as a running process does: it runs the jobs that are due, and those that they make. */
  async function work(attempt = 1): Promise<void> {
    for (;;) {
      const due = [...jobs].find(([, { runAtMs = 0 }]) => runAtMs <= time.now());
      if (!due) return;
      const [key, job] = due;
      jobs.delete(key);
      const handed = { ...job, id: key, key: job.key ?? null, attempt, signal: new AbortController().signal };
      try {
        await handlers.get(job.kind)?.(handed);
      } catch (error) {
        jobs.set(key, { ...job, runAtMs: time.now() + 1 });
        throw error;
      }
    }
  }

  async function after(ms: number): Promise<void> {
    time.jump(ms);
    await work();
  }

  async function end(index: number, status: RunRow['status'], error: string | null = null): Promise<void> {
    const run = started[index];
    if (!run) throw new Error('There is no such run.');
    const metadata = JSON.stringify(run.body.metadata);
    const row = { ...run.row, status, error, metadata, ended_at: toIso(time.now()) } as RunRow;
    await database.write((trx) => clockwork.plan(trx as never, row));
  }

  it('run a prompt again and again, as its owner, each time in a new thread', async () => {
    const { id } = await every('0 * * * *');
    await after(hourMs - 1);
    expect(started).toEqual([]);
    await after(1);
    await end(0, 'success');
    await after(hourMs);
    expect(started.map(({ caller, threadId }) => [caller.userId, threadId])).toEqual([
      ['ada', null],
      ['ada', null],
    ]);
    expect(started[0]?.body).toMatchObject({
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: 'What is new?' }] },
      context: { non_interactive: true },
      on_completion: 'keep',
      metadata: { scheduled_task_id: id, scheduled_trigger: 'scheduled' },
    });
    expect(await statuses(id)).toEqual(['running', 'success']);
    expect(await tasks.get(ada, id)).toMatchObject({
      status: 'enabled',
      run_count: 2,
      next_run_at: toIso(time.now() + hourMs),
      last_run_id: started[1]?.row.run_id,
      last_thread_id: started[1]?.row.thread_id,
    });
  });

  it('run once for all the moments that passed while no process was there', async () => {
    const { id } = await every('*/10 * * * *');
    await after(dayMs + minuteMs);
    expect(started).toHaveLength(1);
    expect(await history(id)).toMatchObject([{ scheduled_for: toIso(time.now() - dayMs + 9 * minuteMs) }]);
    expect((await tasks.get(ada, id)).next_run_at).toBe(toIso(time.now() + 9 * minuteMs));
  });

  async function align(): Promise<void> {
    const job = { id: 'a', kind: alignKind, key: null, payload: {}, attempt: 1 };
    await handlers.get(alignKind)?.({ ...job, signal: new AbortController().signal });
  }

  it('come once by the new time of the database, which a process has not noticed yet', async () => {
    const { id } = await every('* * * * *');
    behindMs = 3 * dayMs;
    await after(3 * dayMs);
    expect(await statuses(id)).toEqual(['running']);
    const next = toIso(time.now() + minuteMs);
    expect((await tasks.get(ada, id)).next_run_at).toBe(next);
    await align();
    expect((await tasks.get(ada, id)).next_run_at).toBe(next);
  });

  describe('come at the present time again when a clock that was days ahead is set back', () => {
    it('and they began a run meanwhile', async () => {
      const { id } = await every('0 * * * *');
      await after(3 * dayMs);
      await end(0, 'success');
      time.jump(-3 * dayMs);
      await align();
      expect((await tasks.get(ada, id)).next_run_at).toBe(toIso(time.now() + hourMs));
      await after(hourMs);
      expect(started).toHaveLength(2);
      expect((await tasks.get(ada, id)).next_run_at).toBe(toIso(time.now() + hourMs));
    });

    it('and they skipped a moment meanwhile', async () => {
      const { id } = await every('0 * * * *');
      await after(hourMs);
      await after(3 * dayMs);
      expect(await statuses(id)).toEqual(['skipped', 'running']);
      time.jump(-3 * dayMs);
      await align();
      expect((await tasks.get(ada, id)).next_run_at).toBe(toIso(time.now() + hourMs));
    });
  });

  it('skip a moment while the run before it goes on', async () => {
    const { id } = await every('0 * * * *');
    await after(hourMs);
    await after(hourMs);
    expect(await statuses(id)).toEqual(['skipped', 'running']);
    await end(0, 'error', 'The model is down.');
    expect(await tasks.get(ada, id)).toMatchObject({ status: 'enabled', last_error: 'The model is down.' });
    await after(hourMs);
    expect(await statuses(id)).toEqual(['running', 'skipped', 'failed']);
  });

  it.each([
    ['success', 'success', 'completed'],
    ['error', 'failed', 'failed'],
    ['timeout', 'failed', 'failed'],
    ['interrupted', 'interrupted', 'cancelled'],
  ] as const)('that run once are running until their run ends, as %s', async (ended, ofRun, ofTask) => {
    const { id } = await once(hourMs);
    await after(hourMs);
    expect(await tasks.get(ada, id)).toMatchObject({ status: 'running', next_run_at: null });
    await expect(tasks.patch(ada, id, { title: 'x' })).rejects.toMatchObject({
      code: 'scheduled_task_running',
    });
    await expect(tasks.switch(ada, id, 'paused')).rejects.toMatchObject({ code: 'scheduled_task_running' });
    await end(0, ended);
    expect(await statuses(id)).toEqual([ofRun]);
    expect((await tasks.get(ada, id)).status).toBe(ofTask);
    await after(dayMs);
    expect(started).toHaveLength(1);
  });

  it('that run once wait for a run that was started by hand', async () => {
    const { id } = await once(hourMs);
    await tasks.trigger(ada, id);
    await work();
    await expect(tasks.trigger(ada, id)).rejects.toMatchObject({ code: 'scheduled_task_active' });
    await after(hourMs);
    expect((await tasks.get(ada, id)).status).toBe('enabled');
    await end(0, 'success');
    await after(minuteMs);
    expect(started).toHaveLength(2);
    expect((await history(id)).map(({ trigger }) => trigger)).toEqual(['scheduled', 'manual']);
  });

  it('run as the user that was stored with them, and without one where there was none', async () => {
    const user = { identity: 'key-1', display_name: 'Ada', is_authenticated: true, permissions: ['paint'] };
    const body = { assistant_id: 'chat', schedule: '0 * * * *' };
    const { cron_id } = await crons.create(ada, null, { body, authUser: user });
    await after(hourMs);
    await end(0, 'success');
    const later = { ...user, permissions: [] };
    await crons.patch(ada, cron_id, { body: { metadata: { a: 1 } }, authUser: later });
    await after(hourMs);
    await end(1, 'success');
    await crons.delete(ada, cron_id);
    await crons.create(ada, null, { body, authUser: undefined });
    await after(hourMs);
    expect(started.map(({ caller }) => caller.authUser)).toEqual([user, later, undefined]);
  });

  it('run again with a new time after they have ended', async () => {
    const { id } = await once(hourMs);
    await after(hourMs);
    await end(0, 'success');
    await expect(tasks.switch(ada, id, 'enabled')).rejects.toMatchObject({ code: 'scheduled_task_ended' });
    const again = { schedule_spec: { run_at: toIso(time.now() + hourMs) } };
    expect(await tasks.patch(ada, id, again)).toMatchObject({ status: 'enabled' });
    await after(hourMs);
    expect(started).toHaveLength(2);
  });

  it('start nothing while they rest, and leave out what they have missed', async () => {
    const { id } = await every('0 * * * *');
    await tasks.switch(ada, id, 'paused');
    await after(5 * hourMs + minuteMs);
    expect(started).toEqual([]);
    const resumed = await tasks.switch(ada, id, 'enabled');
    expect(resumed.next_run_at).toBe(toIso(time.now() + 59 * minuteMs));
    await after(59 * minuteMs);
    expect(started).toHaveLength(1);
  });

  it('start by hand while they rest, and go on resting', async () => {
    const { id } = await every('0 * * * *');
    await tasks.switch(ada, id, 'paused');
    await tasks.trigger(ada, id);
    await work();
    expect(started).toHaveLength(1);
    expect((await tasks.get(ada, id)).status).toBe('paused');
  });

  it('do nothing at the time that they had before they were changed', async () => {
    const { id } = await every('0 * * * *');
    await tasks.patch(ada, id, { schedule_spec: { cron: '30 * * * *' }, timezone: 'UTC' });
    await after(30 * minuteMs);
    await end(0, 'success');
    await after(30 * minuteMs);
    expect(started).toHaveLength(1);
  });

  it('start each run once when a process ends right after it has started one', async () => {
    const { id } = await every('0 * * * *');
    diesAfterStart = true;
    await expect(after(hourMs)).rejects.toThrow('killed');
    diesAfterStart = false;
    await after(1);
    expect(started).toHaveLength(1);
    expect(await history(id)).toMatchObject([{ status: 'running', run_id: started[0]?.row.run_id }]);
    expect(await tasks.get(ada, id)).toMatchObject({ run_count: 1 });
  });

  it('keep the end of a run that was over before its start was written down', async () => {
    const { id } = await every('0 * * * *');
    diesAfterStart = true;
    await expect(after(hourMs)).rejects.toThrow('killed');
    await end(0, 'success');
    await after(1);
    expect(await history(id)).toMatchObject([{ status: 'success', thread_id: started[0]?.row.thread_id }]);
  });

  it('start nothing for an account that is locked', async () => {
    const cron = await every('0 * * * *');
    const single = await once(hourMs);
    isLocked = true;
    await after(hourMs);
    expect(started).toEqual([]);
    expect(await history(cron.id)).toMatchObject([
      { status: 'skipped', error: expect.stringContaining('disabled') },
    ]);
    expect(await tasks.get(ada, single.id)).toMatchObject({ status: 'failed' });
    isLocked = false;
    await after(hourMs);
    expect(started).toHaveLength(1);
  });

  it('fail at once where a run is refused, and after some attempts where it cannot be started', async () => {
    const { id } = await every('0 * * * *');
    refusal = new AppError('thread_not_found');
    await after(hourMs);
    expect(await statuses(id)).toEqual(['failed']);
    refusal = new Error('no connection');
    await expect(after(hourMs)).rejects.toThrow('no connection');
    expect(await statuses(id)).toEqual(['queued', 'failed']);
    time.jump(1);
    await work(launchDelaysMs.length + 1);
    expect(await history(id)).toMatchObject([{ status: 'failed', error: 'It could not be started.' }, {}]);
    expect((await tasks.get(ada, id)).status).toBe('enabled');
  });

  it('go on when a run could never be started', async () => {
    const { id } = await every('0 * * * *');
    refusal = new Error('no connection');
    await expect(after(hourMs)).rejects.toThrow();
    for (const [key, { kind }] of jobs) if (kind === launchKind) jobs.delete(key);
    refusal = null;
    await after(hourMs);
    expect(await statuses(id)).toEqual(['running', 'failed']);
  });

  it('rest when their thread is deleted', async () => {
    const { id } = await every('0 * * * *', { context_mode: 'reuse_thread', thread_id: 't' });
    await database.write((trx) => releaseThread(trx, 't', { at: toIso(time.now()), why: 'gone' }));
    expect(await tasks.get(ada, id)).toMatchObject({ status: 'paused', last_error: 'gone' });
    await after(hourMs);
    expect(started).toEqual([]);
    await tasks.patch(ada, id, { context_mode: 'fresh_thread_per_run' });
    expect(await tasks.switch(ada, id, 'enabled')).toMatchObject({ thread_id: null, status: 'enabled' });
  });

  it('keep the last 200 moments', async () => {
    const { id } = await every('* * * * *');
    await after(minuteMs);
    for (let index = 0; index < 205; index += 1) await after(minuteMs);
    const all = await tasks.history(ada, id, { limit: 1000, offset: 0 });
    // The run that goes on stays, however old it is.
    expect([all.length, all.at(-1)?.status]).toEqual([201, 'running']);
  });

  it('take a time without an offset as what the clocks of the zone show', async () => {
    const task = await every('', {
      schedule_type: 'once',
      schedule_spec: { run_at: '2030-07-01T09:00:00' },
      timezone: 'Europe/Berlin',
    });
    expect(task.schedule_spec).toEqual({ run_at: '2030-07-01T07:00:00.000Z' });
  });

  it.each([
    [{ timezone: 'Nowhere/Land' }, /Unknown timezone: Nowhere\/Land/],
    [{ schedule_type: 'interval' }, /Unsupported schedule_type/],
    [{ schedule_spec: {} }, /cron schedule requires schedule_spec.cron/],
    [{ schedule_spec: { cron: '@daily' } }, /five fields/],
    [{ schedule_spec: { cron: '0 0 30 2 *' } }, /never comes/],
    [{ context_mode: 'other' }, /Unsupported context_mode/],
    [{ context_mode: 'reuse_thread' }, /reuse_thread requires thread_id/],
    [{ schedule_type: 'once', schedule_spec: {} }, /requires schedule_spec.run_at/],
    [{ schedule_type: 'once', schedule_spec: { run_at: 'tomorrow' } }, /run_at is not a time/],
    [{ schedule_type: 'once', schedule_spec: { run_at: '2029-01-01T00:00:00Z' } }, /in the future/],
    [{ schedule_type: 'once', schedule_spec: { run_at: '2030-01-01T00:00:30Z' } }, /at least 60 seconds/],
  ] as const)('refuse %j', async (more, message) => {
    await expect(every('0 * * * *', more)).rejects.toThrow(message);
    expect(await tasks.list(ada)).toEqual([]);
  });

  it('are a limited number for each user', async () => {
    for (let index = 0; index < 100; index += 1) await every('0 * * * *');
    await expect(every('0 * * * *')).rejects.toMatchObject({ code: 'schedule_limit' });
    expect(await tasks.list(ada)).toHaveLength(100);
    expect(await tasks.list({ user: 'bob' })).toEqual([]);
  });
}
