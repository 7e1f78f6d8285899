import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { within } from '../../lib/async/within.ts';
import { toIso } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { hourMs } from '../../lib/time-units.ts';
import { type AuditPart, noRecord } from '../audit/audit.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { type DatabaseTime, databaseTime } from '../database/database-time.ts';
import type { OfferQueues } from '../offers/offer-queues.ts';
import type { JobAttemptsOptions, JobFailure } from './job-attempts.ts';
import { afterAbortMs, defaultPolicy, keepDeadMs, lockMs, prunes, sweepEveryMs } from './job-defaults.ts';
import type { JobLane } from './job-lane.ts';
import { type JobRow, JobStore } from './job-store.ts';
import type {
  DeadJob,
  JobHandler,
  JobPayload,
  JobPolicy,
  JobRecords,
  Jobs,
  NewJob,
  Schedule,
} from './jobs.ts';
import { horizonMs, type JobOffer, maxOffersPerSweep, OfferedLane } from './offered-lane.ts';
import { PolledLane } from './polled-lane.ts';
import type { JobTables } from './tables.ts';

export interface StoredJobsOptions {
  database: Database<JobTables>;
  /** BullMQ, for several processes. Null: timers of this process wait for the next due job. */
  offers: Pick<OfferQueues, 'queue' | 'onBack'> | null;
  /**
   * True when one process owns the database: interrupted jobs run again at once instead of after their lock expires.
   */
  isAlone: boolean;
  report: (failure: JobFailure) => void;
  timer?: Timer;
  databaseTime?: DatabaseTime;
  random?: () => number;
}

/** A queue costs an idle process more than a look at the rows when work is due that repeats as rarely as this. */
const rareMs = hourMs;
/** A count of waiting jobs ends here, so that it stays cheap. */
const maxCounted = 10_000;

/**
 * Each job is a row. Without another service, a process looks at the rows when one is due. With BullMQ, it gets an offer of the
 * job after the commit, waits until it is due, and hands it to one process, which claims the row. Without Redis, jobs wait.
 * Work that repeats every hour or less often is found by its rows in any case.
 */
export class StoredJobs implements Jobs {
  readonly #options: StoredJobsOptions;
  readonly #store: JobStore;
  readonly #records: JobRecords;
  readonly #timer: Timer;
  readonly #runner = { id: newId(), lockMs };
  readonly #lanes = new Map<string, JobLane>();
  readonly #intervals = new Map<string, number>();
  #isRunning = false;
  #cancelSweep: () => void = () => undefined;

  constructor(options: StoredJobsOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#store = new JobStore(options.database, options.databaseTime ?? databaseTime(options.database));
    this.#records = recordsOver(this.#store);
    this.register(prunes.kind, () => this.#store.pruneDead(keepDeadMs), { everyMs: prunes.everyMs });
  }

  register(kind: string, handler: JobHandler, given: JobPolicy = {}): void {
    if (this.#lanes.has(kind)) throw new Error(`Two handlers for jobs of kind ${kind}.`);
    const { offers, report, random = Math.random } = this.#options;
    const policy = { ...defaultPolicy, ...given };
    const { everyMs } = policy;
    if (everyMs !== null) this.#intervals.set(kind, everyMs);
    const options: JobAttemptsOptions = {
      kind,
      handler,
      policy,
      store: this.#store,
      runner: this.#runner,
      timer: this.#timer,
      random,
      report,
    };
    const isOffered = offers !== null && (everyMs === null || everyMs < rareMs);
    this.#lanes.set(
      kind,
      isOffered
        ? new OfferedLane({
            ...options,
            openQueue: (onFault) => offers.queue<JobOffer>(`jobs.${kind}`, onFault),
          })
        : new PolledLane({ ...options, isSwept: offers !== null }),
    );
  }

  async enqueue<Tables>(trx: WriteTransaction<Tables>, job: NewJob): Promise<void> {
    const lane = this.#requireKnown(job.kind);
    lane.remember(await this.#store.insert(trx, job));
  }

  wake(kind: string): void {
    const lane = this.#requireKnown(kind);
    if (this.#isRunning) lane.wake();
  }

  async add(job: NewJob): Promise<void> {
    const lane = this.#requireKnown(job.kind);
    lane.remember(await this.#store.add(job));
    this.wake(job.kind);
  }

  async start(): Promise<void> {
    const { isAlone, offers } = this.#options;
    if (isAlone) await this.#store.handOverAll();
    for (const [kind, intervalMs] of this.#intervals) await this.#store.putSchedule(kind, intervalMs);
    await this.#correctTimes();
    this.#isRunning = true;
    await Promise.all([...this.#lanes.values()].map((lane) => lane.start()));
    offers?.onBack(() => void this.#sweep());
    this.#planSweep();
  }

  async close(graceMs = 5_000): Promise<void> {
    this.#isRunning = false;
    this.#cancelSweep();
    const lanes = [...this.#lanes.values()];
    const ended = Promise.all(lanes.map((lane) => lane.stop()));
    await this.#within(graceMs, ended);
    for (const lane of lanes) lane.abort();
    await this.#within(afterAbortMs, ended);
    await this.#within(afterAbortMs, Promise.all(lanes.map((lane) => lane.settled())));
    // A job that ignores its signal is left behind: its row expires, and the next process runs it again.
    await this.#within(afterAbortMs, Promise.all(lanes.map((lane) => lane.close())));
  }

  dead(limit: number): Promise<DeadJob[]> {
    return this.#records.dead(limit);
  }

  countDead(diedBeforeMs?: number): Promise<number> {
    return this.#records.countDead(diedBeforeMs);
  }

  schedules(): Promise<Schedule[]> {
    return this.#records.schedules();
  }

  recordsIn(frozen: Database<unknown>): JobRecords {
    return recordsOver(new JobStore(frozen.withTables<JobTables>(), databaseTime(frozen)));
  }

  countWaiting(kind: string): Promise<number> {
    return this.#store.countWaiting(kind, maxCounted);
  }

  get deadKeptMs(): number {
    return keepDeadMs;
  }

  async retry(id: string, alongside: AuditPart = noRecord): Promise<'waiting' | 'replaced' | null> {
    const revived = await this.#store.revive(id, alongside);
    if (!revived) return null;
    // A kind of a feature that is switched off here waits until a gateway has it.
    const lane = this.#lanes.get(revived.kind);
    lane?.remember(id);
    if (this.#isRunning) lane?.wake();
    return revived.outcome;
  }

  #requireKnown(kind: string): JobLane {
    const lane = this.#lanes.get(kind);
    if (!lane) throw new Error(`No handler is registered for jobs of kind ${kind}.`);
    return lane;
  }

  #planSweep(): void {
    if (!this.#isRunning) return;
    this.#cancelSweep();
    this.#cancelSweep = this.#timer(() => void this.#sweep(), sweepEveryMs);
  }

  /** One kind after the other, so that a sweep is never a burst. Never rejects. */
  async #sweep(): Promise<void> {
    const hasMoved = await this.#correctTimes();
    const dueSoon = await this.#dueSoon();
    for (const [kind, lane] of this.#lanes) {
      if (this.#isRunning)
        await lane.sweep({ hasMoved, dueSoon: dueSoon?.filter((job) => job.kind === kind) });
    }
    this.#planSweep();
  }

  /** One question for all kinds. Returns undefined when lanes have to ask for themselves. Never rejects. */
  async #dueSoon(): Promise<Awaited<ReturnType<JobStore['dueWithin']>> | undefined> {
    if (!this.#options.offers) return undefined;
    try {
      const limit = maxOffersPerSweep;
      const due = await this.#store.dueWithin([...this.#lanes.keys()], { horizonMs, limit });
      return due.length < limit ? due : undefined;
    } catch (error) {
      this.#options.report({ kind: 'jobs', error });
      return undefined;
    }
  }

  /** Corrects what a clock that was set has put off or brought forward. Returns true when jobs are due earlier. Never rejects. */
  async #correctTimes(): Promise<boolean> {
    try {
      await this.#store.keepDoubtfulLocks();
      return (await this.#store.shortenWaits()) > 0;
    } catch (error) {
      this.#options.report({ kind: 'jobs', error });
      return false;
    }
  }

  #within(limitMs: number, ended: Promise<unknown>): Promise<void> {
    return within(ended, { limitMs, timer: this.#timer });
  }
}

/** Reads the facts about jobs from the rows. */
function recordsOver(store: JobStore): JobRecords {
  return {
    dead: async (limit) => (await store.listDead(limit)).map(asDeadJob),
    countDead: (diedBeforeMs) => store.countDead(diedBeforeMs),
    schedules: async () => {
      const rows = await store.listSchedules();
      return rows.map(({ kind, intervalMs, dueAtMs, runner, lastError }) => ({
        kind,
        everyMs: intervalMs ?? 0,
        nextAtMs: runner === null ? dueAtMs : null,
        lastError,
      }));
    },
  };
}

function asDeadJob({ id, kind, key, payload, attempt, lastError, diedAtMs }: JobRow): DeadJob {
  return {
    id,
    kind,
    key,
    payload: JSON.parse(payload) as JobPayload,
    attempts: attempt,
    lastError: lastError ?? '',
    diedAt: toIso(diedAtMs ?? 0),
  };
}
