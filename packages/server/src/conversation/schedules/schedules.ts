import type { RunCreate } from '@switchyard/contract/conversation/run';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { unitPart } from '../../platform/database/unit-part.ts';
import type { Runs } from '../runs/runs.ts';
import type { ConversationTables, ScheduleRow, ScheduleRunRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import type { ScheduleClock } from './schedule-clock.ts';
import { fireJob, type ScheduleJobs } from './schedule-jobs.ts';
import {
  deleteSchedule,
  type ScheduleChange,
  type ScheduleStore,
  type ScheduleTrx,
  updateSchedule,
} from './schedule-store.ts';
import { nextRunAt, type ScheduleTimes } from './schedule-times.ts';

export type NewSchedule = Pick<
  ScheduleRow,
  | 'thread_id'
  | 'assistant_id'
  | 'title'
  | 'prompt'
  | 'request'
  | 'auth_user'
  | 'metadata'
  | 'on_run_completed'
> &
  ScheduleTimes & { status: 'enabled' | 'paused' };

/** The errors of the two kinds of clients for an id that is not the caller's. */
export type NotFound = 'scheduled_task_not_found' | 'cron_not_found';

const ended: ReadonlySet<ScheduleRow['status']> = new Set(['completed', 'failed', 'cancelled']);

/** Runs that begin by themselves. Scheduled tasks and crons are two views of them. */
export class Schedules {
  readonly #options;

  constructor(options: {
    store: ScheduleStore;
    clockwork: ScheduleClock;
    jobs: Pick<ScheduleJobs, 'enqueue'>;
    runs: Pick<Runs, 'check'>;
    clock: Clock;
    newId: () => string;
  }) {
    this.#options = options;
  }

  get nowMs(): number {
    return this.#options.clock();
  }

  list(owner: Owner, threadId: string | null = null): Promise<ScheduleRow[]> {
    return this.#options.store.list(owner, threadId);
  }

  async get(
    owner: Owner,
    scheduleId: string,
    notFound: NotFound = 'scheduled_task_not_found',
  ): Promise<ScheduleRow> {
    const row = await this.#options.store.get(owner, scheduleId);
    if (!row) throw new AppError(notFound);
    return row;
  }

  async history(
    owner: Owner,
    scheduleId: string,
    page: { limit: number; offset: number },
  ): Promise<ScheduleRunRow[]> {
    await this.get(owner, scheduleId);
    return this.#options.store.history(owner, scheduleId, page);
  }

  async create(owner: Owner, given: NewSchedule): Promise<ScheduleRow> {
    const { store, jobs, clockwork, newId } = this.#options;
    const user_id = userIdOf(owner);
    await this.#requireRunnable(user_id, given);
    const at = toIso(this.nowMs);
    const row: ScheduleRow = {
      ...given,
      schedule_id: newId(),
      user_id,
      ...(given.status === 'enabled'
        ? this.#beginning(given)
        : { next_run_at: nextRunAt(given, this.nowMs) }),
      last_run_at: null,
      last_run_id: null,
      last_thread_id: null,
      last_error: null,
      run_count: 0,
      created_at: at,
      updated_at: at,
    };
    const planned = unitPart<ConversationTables>((trx) => plan(trx, jobs, row));
    await store.insert(row, planned);
    clockwork.wake();
    return row;
  }

  /** Checks the row as it would be before it is written. A new time lets a schedule that has ended run again. */
  async change(
    owner: Owner,
    scheduleId: string,
    { notFound, change }: { notFound: NotFound; change: (present: ScheduleRow) => ScheduleChange },
  ): Promise<ScheduleRow> {
    const { store, jobs, clockwork } = this.#options;
    const before = await store.get(owner, scheduleId);
    if (!before) throw new AppError(notFound);
    await this.#requireRunnable(before.user_id, { ...before, ...change(before) } as ScheduleRow);
    const changed = await store.change(owner, scheduleId, async (trx, present) => {
      if (!present) throw new AppError(notFound);
      if (present.status === 'running') throw new AppError('scheduled_task_running');
      const given = change(present);
      const next = { ...present, ...given } as ScheduleRow;
      const hasNewTime = timeFieldsOf(present).some((field) => field in given);
      if (hasNewTime && ended.has(next.status)) next.status = 'enabled';
      const begins = next.status === 'enabled' && (hasNewTime || present.status !== 'enabled');
      const row = await updateSchedule(trx, scheduleId, {
        ...given,
        status: next.status,
        ...(begins && this.#beginning(next)),
        updated_at: toIso(this.nowMs),
      });
      await plan(trx, jobs, row);
      return row;
    });
    clockwork.wake();
    return changed;
  }

  /** A cron leaves out the times that it has missed during a pause. */
  async switch(owner: Owner, scheduleId: string, status: 'enabled' | 'paused'): Promise<ScheduleRow> {
    const { store, jobs, clockwork } = this.#options;
    const changed = await store.change(owner, scheduleId, async (trx, present) => {
      if (!present) throw new AppError('scheduled_task_not_found');
      if (present.status === 'running') throw new AppError('scheduled_task_running');
      if (present.status === status) return present;
      if (ended.has(present.status)) throw new AppError('scheduled_task_ended');
      const row = await updateSchedule(trx, scheduleId, {
        status,
        ...(status === 'enabled' && this.#beginning(present)),
        updated_at: toIso(this.nowMs),
      });
      await plan(trx, jobs, row);
      return row;
    });
    clockwork.wake();
    return changed;
  }

  async trigger(owner: Owner, scheduleId: string): Promise<void> {
    const { store, clockwork } = this.#options;
    await store.change(owner, scheduleId, async (trx, present) => {
      if (!present) throw new AppError('scheduled_task_not_found');
      if (await clockwork.openRun(trx, scheduleId)) throw new AppError('scheduled_task_active');
      const at = toIso(this.nowMs);
      await clockwork.enqueue(trx, present, { trigger: 'manual', at, dueAt: at });
    });
    clockwork.wake();
  }

  async delete(owner: Owner, scheduleId: string, notFound: NotFound): Promise<void> {
    await this.#options.store.change(owner, scheduleId, async (trx, present) => {
      if (!present) throw new AppError(notFound);
      await deleteSchedule(trx, scheduleId);
    });
  }

  /** The next moment of a schedule that is enabled now. One that ends before its next moment has ended. */
  #beginning(times: ScheduleTimes): Pick<ScheduleRow, 'status' | 'next_run_at'> {
    const next_run_at = nextRunAt(times, this.nowMs);
    return { next_run_at, status: next_run_at === null ? 'completed' : 'enabled' };
  }

  /** Refuses now what would be refused at each of its moments. */
  async #requireRunnable(
    userId: string,
    { thread_id, assistant_id, request }: Pick<ScheduleRow, 'thread_id' | 'assistant_id' | 'request'>,
  ): Promise<void> {
    const body = { ...(JSON.parse(request) as RunCreate), assistant_id };
    await this.#options.runs.check({ userId, mount: '/api/langgraph' }, thread_id, body);
  }
}

/** Part of a unit: the job for the next moment of a schedule that is enabled. */
async function plan(trx: ScheduleTrx, jobs: Pick<ScheduleJobs, 'enqueue'>, row: ScheduleRow): Promise<void> {
  const { schedule_id, status, next_run_at } = row;
  if (status === 'enabled' && next_run_at !== null)
    await jobs.enqueue(trx, fireJob(schedule_id, next_run_at));
}

/** The fields that decide when a schedule runs. A moment that is named whole has its zone in it. */
function timeFieldsOf({ cron }: ScheduleRow): readonly (keyof ScheduleTimes)[] {
  return cron === null ? ['run_at'] : ['cron', 'timezone', 'end_time'];
}

function userIdOf(owner: Owner): string {
  const userId = userScope(owner);
  if (userId === null) throw new Error('Schedules belong to one user.');
  return userId;
}
