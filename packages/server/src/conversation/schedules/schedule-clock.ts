import type { RunCreate } from '@switchyard/contract/conversation/run';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Owner } from '../../lib/owner.ts';
import { hourMs, minuteMs } from '../../lib/time-units.ts';
import { maxClockDifferenceMs } from '../../platform/clock/database-clock.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { UnitClock } from '../../platform/database/unit-clock.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import type { RunCaller } from '../runs/intake/run-intake.ts';
import type { Runs } from '../runs/runs.ts';
import type { RunRow, ScheduleRow, ScheduleRunRow } from '../tables.ts';
import { scheduleRunKey } from './schedule.ts';
import {
  alignKind,
  fireJob,
  fireKind,
  launchDelaysMs,
  launchJob,
  launchKind,
  type ScheduleJobs,
} from './schedule-jobs.ts';
import {
  insertScheduleRun,
  openRunOf,
  type ScheduleStore,
  type ScheduleTrx,
  scheduleRunOf,
  settleSchedule,
  updateSchedule,
  updateScheduleRun,
} from './schedule-store.ts';
import { nextRunAt } from './schedule-times.ts';

const open = ['queued', 'running'] as const;
const alignEveryMs = minuteMs / 2;
/** All attempts to start a run are over by then. */
const lostAfterMs = hourMs;
const reasons = {
  overlap: 'The run before it had not ended.',
  locked: 'The account is disabled or does not exist any more.',
  lost: 'It could not be started.',
};

/**
 * Starts the runs of schedules when their time has come. A moment and its run are written before the run is started, and the run's
 * id is decided with them, so a crash at any point neither loses a run nor starts it twice.
 */
export class ScheduleClock {
  readonly #options;

  constructor(options: {
    store: ScheduleStore;
    jobs: ScheduleJobs;
    runs: Pick<Runs, 'start' | 'look'>;
    /** Returns whether this account exists and may sign in. */
    mayStart: (userId: string) => Promise<boolean>;
    clock: Clock;
    /** All replicas plan the next moment of a schedule by the same clock, also when it was just set. */
    unitClock: UnitClock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
    options.jobs.register(fireKind, (job) => this.#fire(job));
    options.jobs.register(launchKind, (job) => this.#launch(job), { retryDelaysMs: launchDelaysMs });
    options.jobs.register(alignKind, () => this.#align(), { everyMs: alignEveryMs });
  }

  /** Part of a unit: the run of a schedule waits to be started. Call `wake` after the commit. */
  async enqueue(
    trx: ScheduleTrx,
    schedule: ScheduleRow,
    { trigger, at, dueAt }: { trigger: ScheduleRunRow['trigger']; at: string; dueAt: string },
  ): Promise<void> {
    const row = newRun(schedule, { trigger, at, dueAt });
    await insertScheduleRun(trx, row);
    await this.#options.jobs.enqueue(trx, launchJob(row.id));
  }

  /** Part of a unit: the run of a schedule that waits or works. One that could not be started for long has failed. */
  async openRun(trx: ScheduleTrx, scheduleId: string): Promise<ScheduleRunRow | undefined> {
    const now = this.#options.clock();
    const run = await openRunOf(trx, scheduleId);
    if (run?.status !== 'queued' || run.created_at > toIso(now - lostAfterMs)) return run;
    const lost = { status: 'failed', error: reasons.lost, finished_at: toIso(now) } as const;
    await updateScheduleRun(trx, { id: run.id, from: open }, lost);
    return undefined;
  }

  wake(): void {
    this.#options.jobs.wake(fireKind);
    this.#options.jobs.wake(launchKind);
  }

  /** Part of the unit that ends a run. */
  async plan(unit: WriteTransaction<unknown>, run: RunRow): Promise<void> {
    if (!run.metadata.includes(`"${scheduleRunKey}":`)) return;
    const trx = unit as unknown as ScheduleTrx;
    const moment = await scheduleRunOf(trx, run);
    if (!moment) return;
    const { status, once } = endOf(run);
    const error = status === 'failed' ? (run.error ?? run.status) : null;
    const { thread_id, run_id, ended_at: finished_at } = run;
    await updateScheduleRun(trx, { id: moment.id, from: open }, { status, error, thread_id, finished_at });
    const change = { last_error: error, last_run_id: run_id, last_thread_id: thread_id };
    await settleSchedule(trx, moment.schedule_id, { change, once });
  }

  /** A moment that passed while no gateway ran comes once, however many there were. */
  async #fire({ payload }: Job): Promise<void> {
    const { store } = this.#options;
    const [scheduleId, dueAt] = [String(payload.scheduleId), String(payload.dueAt)];
    await store.change(null, scheduleId, async (trx, schedule) => {
      if (schedule?.status !== 'enabled' || schedule.next_run_at !== dueAt) return;
      await this.#moment(trx, schedule, dueAt);
    });
    this.wake();
  }

  async #moment(trx: ScheduleTrx, schedule: ScheduleRow, dueAt: string): Promise<void> {
    const { jobs, unitClock } = this.#options;
    const { schedule_id, cron } = schedule;
    const nowMs = await unitClock(trx);
    const at = toIso(nowMs);
    const isOpen = (await this.openRun(trx, schedule_id)) !== undefined;
    // A schedule that runs once is not left out. It waits for the run that its owner has started by hand.
    if (isOpen && cron === null) return jobs.enqueue(trx, fireJob(schedule_id, dueAt, nowMs + minuteMs));
    const next = cron === null ? null : nextRunAt(schedule, Math.max(nowMs, Date.parse(dueAt)));
    const status = cron === null ? 'running' : next === null ? 'completed' : 'enabled';
    await updateSchedule(trx, schedule_id, { status, next_run_at: next });
    if (next !== null) await jobs.enqueue(trx, fireJob(schedule_id, next));
    if (!isOpen) return this.enqueue(trx, schedule, { trigger: 'scheduled', at, dueAt });
    const skipped = { status: 'skipped', error: reasons.overlap, run_id: null, finished_at: at } as const;
    await insertScheduleRun(trx, { ...newRun(schedule, { trigger: 'scheduled', at, dueAt }), ...skipped });
  }

  /**
   * A schedule that has run or was changed in the future had its next moment from a clock that was wrong, and set back since. It
   * would rest for as long as that clock was ahead.
   */
  async #align(): Promise<void> {
    const { store, jobs, clock, unitClock } = this.#options;
    for (const scheduleId of await store.cronsOfLaterThan(toIso(clock() + maxClockDifferenceMs)))
      await store.change(null, scheduleId, async (trx, schedule) => {
        if (schedule?.status !== 'enabled' || schedule.cron === null) return;
        const next = nextRunAt(schedule, await unitClock(trx));
        if (next === null || schedule.next_run_at === null || next >= schedule.next_run_at) return;
        await updateSchedule(trx, scheduleId, { next_run_at: next });
        await jobs.enqueue(trx, fireJob(scheduleId, next));
      });
    this.wake();
  }

  async #launch({ payload, attempt, signal }: Job): Promise<void> {
    const found = await this.#options.store.findRun(String(payload.id));
    if (found?.run.status !== 'queued') return;
    const { mayStart, log } = this.#options;
    const { user_id, schedule_id: scheduleId } = found.schedule;
    if (!(await mayStart(user_id))) return this.#end(found.run, { status: 'skipped', error: reasons.locked });
    try {
      await this.#noteStart(found.run, await this.#start(found));
    } catch (error) {
      const isRefused = error instanceof AppError && error.status < 500 && error.code !== 'too_many_runs';
      if (signal.aborted || (!isRefused && attempt <= launchDelaysMs.length)) throw error;
      log.warn({ err: error, scheduleId }, 'A scheduled run could not be started');
      await this.#end(found.run, { status: 'failed', error: whyRefused(error) });
    }
  }

  /** The run that an earlier attempt has started, or a new one. */
  async #start({ schedule, run }: { schedule: ScheduleRow; run: ScheduleRunRow }): Promise<RunRow> {
    const { runs } = this.#options;
    const { user_id: userId, thread_id: threadId, auth_user: authUser } = schedule;
    const owner: Owner = { user: userId };
    const runId = String(run.run_id);
    const present = await runs.look(owner, { threadId: null, runId });
    if (present) return present;
    const caller: RunCaller = {
      userId,
      mount: '/api/langgraph',
      runId,
      ...(authUser !== null && { authUser: JSON.parse(authUser) as Record<string, unknown> }),
    };
    return (await runs.start(caller, threadId, requestOf(schedule, run))).run;
  }

  async #noteStart({ id, schedule_id }: ScheduleRunRow, { run_id, thread_id }: RunRow): Promise<void> {
    const at = toIso(this.#options.clock());
    await this.#options.store.change(null, schedule_id, async (trx, schedule) => {
      const started = { status: 'running', thread_id, started_at: at } as const;
      await updateScheduleRun(trx, { id, from: ['queued'] }, started);
      if (!schedule) return;
      const last = { last_run_at: at, last_run_id: run_id, last_thread_id: thread_id };
      await updateSchedule(trx, schedule_id, { ...last, run_count: schedule.run_count + 1 });
    });
  }

  async #end(
    { id, schedule_id }: ScheduleRunRow,
    { status, error }: { status: 'failed' | 'skipped'; error: string },
  ): Promise<void> {
    const finished_at = toIso(this.#options.clock());
    await this.#options.store.change(null, schedule_id, async (trx) => {
      const ended = await updateScheduleRun(trx, { id, from: ['queued'] }, { status, error, finished_at });
      if (ended) await settleSchedule(trx, schedule_id, { change: { last_error: error }, once: 'failed' });
    });
  }
}

function requestOf(schedule: ScheduleRow, run: Pick<ScheduleRunRow, 'id' | 'trigger'>): RunCreate {
  const { schedule_id, assistant_id, thread_id, on_run_completed } = schedule;
  return {
    ...(JSON.parse(schedule.request) as RunCreate),
    assistant_id,
    ...(thread_id === null && { on_completion: on_run_completed }),
    metadata: {
      ...(JSON.parse(schedule.metadata) as object),
      cron_id: schedule_id,
      scheduled_task_id: schedule_id,
      [scheduleRunKey]: run.id,
      scheduled_trigger: run.trigger,
    },
  };
}

function newRun(
  { schedule_id, user_id, thread_id }: ScheduleRow,
  { trigger, at, dueAt }: { trigger: ScheduleRunRow['trigger']; at: string; dueAt: string },
): ScheduleRunRow {
  const atMs = Date.parse(at);
  return {
    id: newTimeOrderedId(atMs),
    schedule_id,
    user_id,
    thread_id,
    run_id: newTimeOrderedId(atMs),
    scheduled_for: dueAt,
    trigger,
    status: 'queued',
    error: null,
    started_at: null,
    finished_at: null,
    created_at: at,
  };
}

function endOf({ status }: RunRow): { status: ScheduleRunRow['status']; once: ScheduleRow['status'] } {
  if (status === 'success') return { status: 'success', once: 'completed' };
  if (status === 'interrupted') return { status: 'interrupted', once: 'cancelled' };
  return { status: 'failed', once: 'failed' };
}

function whyRefused(error: unknown): string {
  if (!(error instanceof AppError) || error.status >= 500) return reasons.lost;
  return error.faults?.[0]?.message ?? error.message;
}
