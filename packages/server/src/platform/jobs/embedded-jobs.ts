import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { within } from '../../lib/async/within.ts';
import { newId } from '../../lib/ids.ts';
import { type AuditPart, noRecord } from '../audit/audit.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { type DatabaseTime, databaseTime } from '../database/database-time.ts';
import type { JobFailure } from './job-attempts.ts';
import { afterAbortMs, defaultPolicy, keepDeadMs, lockMs, prunes, sweepEveryMs } from './job-defaults.ts';
import { JobLane } from './job-lane.ts';
import { recordsOver } from './job-records.ts';
import { JobStore } from './job-store.ts';
import type { DeadJob, JobHandler, JobPolicy, JobRecords, Jobs, NewJob, Schedule } from './jobs.ts';
import type { JobTables } from './tables.ts';

export interface EmbeddedJobsOptions {
  database: Database<JobTables>;
  /**
   * True when one process owns the database: interrupted jobs run again at once instead of after their lock expires.
   */
  isAlone: boolean;
  report: (failure: JobFailure) => void;
  timer?: Timer;
  databaseTime?: DatabaseTime;
  random?: () => number;
}

/** The variant without another service: jobs are rows, and timers of this process wait for the next due job. */
export class EmbeddedJobs implements Jobs {
  readonly #options: EmbeddedJobsOptions;
  readonly #store: JobStore;
  readonly #records: JobRecords;
  readonly #timer: Timer;
  readonly #runner = { id: newId(), lockMs };
  readonly #lanes = new Map<string, JobLane>();
  readonly #intervals = new Map<string, number>();
  #isRunning = false;
  #cancelSweep: () => void = () => undefined;

  constructor(options: EmbeddedJobsOptions) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
    this.#store = new JobStore(options.database, options.databaseTime ?? databaseTime(options.database));
    this.#records = recordsOver(this.#store);
    this.register(prunes.kind, () => this.#store.pruneDead(keepDeadMs));
    this.every(prunes.kind, prunes.everyMs);
  }

  register(kind: string, handler: JobHandler, policy: JobPolicy = {}): void {
    if (this.#lanes.has(kind)) throw new Error(`Two handlers for jobs of kind ${kind}.`);
    const { report, random = Math.random } = this.#options;
    this.#lanes.set(
      kind,
      new JobLane({
        kind,
        handler,
        policy: { ...defaultPolicy, ...policy },
        store: this.#store,
        runner: this.#runner,
        timer: this.#timer,
        random,
        report,
      }),
    );
  }

  every(kind: string, intervalMs: number): void {
    this.#requireKnown(kind);
    this.#intervals.set(kind, intervalMs);
  }

  async enqueue<Tables>(trx: WriteTransaction<Tables>, job: NewJob): Promise<void> {
    this.#requireKnown(job.kind);
    await this.#store.insert(trx, job);
  }

  wake(kind: string): void {
    if (this.#isRunning) this.#requireKnown(kind).wake();
  }

  async add(job: NewJob): Promise<void> {
    this.#requireKnown(job.kind);
    await this.#store.add(job);
    this.wake(job.kind);
  }

  async start(): Promise<void> {
    if (this.#options.isAlone) await this.#store.handOverAll();
    for (const [kind, intervalMs] of this.#intervals) await this.#store.putSchedule(kind, intervalMs);
    this.#isRunning = true;
    for (const lane of this.#lanes.values()) lane.wake();
    await this.#sweep();
  }

  async close(graceMs = 5_000): Promise<void> {
    this.#isRunning = false;
    this.#cancelSweep();
    const lanes = [...this.#lanes.values()];
    const ended = Promise.all(lanes.map((lane) => lane.stop()));
    await this.#within(graceMs, ended);
    for (const lane of lanes) lane.abort();
    // A job that ignores its signal is left behind: its row expires, and the next process runs it again.
    await this.#within(afterAbortMs, ended);
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

  get deadKeptMs(): number {
    return keepDeadMs;
  }

  async retry(id: string, alongside: AuditPart = noRecord): Promise<'waiting' | 'replaced' | null> {
    const revived = await this.#store.revive(id, alongside);
    if (!revived) return null;
    // A kind of a feature that is switched off waits until a gateway has it again.
    if (this.#isRunning) this.#lanes.get(revived.kind)?.wake();
    return revived.outcome;
  }

  #requireKnown(kind: string): JobLane {
    const lane = this.#lanes.get(kind);
    if (!lane) throw new Error(`No handler is registered for jobs of kind ${kind}.`);
    return lane;
  }

  /** Corrects what a clock that was set has put off or brought forward. Never rejects. */
  async #sweep(): Promise<void> {
    const { report } = this.#options;
    try {
      await this.#store.keepDoubtfulLocks();
      const count = await this.#store.shortenWaits();
      if (count > 0 && this.#isRunning) for (const lane of this.#lanes.values()) lane.wake();
    } catch (error) {
      report({ kind: 'jobs', error });
    }
    if (this.#isRunning) this.#cancelSweep = this.#timer(() => void this.#sweep(), sweepEveryMs);
  }

  #within(limitMs: number, ended: Promise<unknown>): Promise<void> {
    return within(ended, { limitMs, timer: this.#timer });
  }
}
