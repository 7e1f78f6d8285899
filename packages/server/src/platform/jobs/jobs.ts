import type { AuditPart } from '../audit/audit.ts';
import type { Database, WriteTransaction } from '../database/database.ts';

/** Small and flat: a job names its rows, and its handler reads their current state. */
export type JobPayload = Record<string, string | number | boolean | null>;

export interface NewJob {
  kind: string;
  /**
   * At most one job of a kind waits under one key: a second one replaces its payload and moves it to the new time. A
   * running job is not replaced; the new one runs after it.
   */
  key?: string;
  /** The moment at which it runs, in milliseconds since the epoch. It is kept when the clock is set back. */
  runAtMs?: number;
  /** The time that it waits when no moment is given. Default 0. */
  waitMs?: number;
  payload: JobPayload;
}

export interface Job {
  id: string;
  kind: string;
  key: string | null;
  payload: JobPayload;
  /** Counts from one. */
  attempt: number;
  /** Aborts when the gateway shuts down, or when another process took the job over. */
  signal: AbortSignal;
}

/** Thrown for a failure that is not a fault of the gateway, such as a receiver that does not answer. Its log line has no stack. */
export class JobUnsettled extends Error {}

/**
 * May be called more than once for one job (after a crash or a lost connection), so it reads the state of its row and
 * continues from there. An error that it throws is stored, and the job is tried again.
 */
export type JobHandler = (job: Job) => Promise<void>;

export interface JobPolicy {
  /** The number of jobs of a kind that a process runs at once. Default 4. */
  concurrency?: number;
  /** The wait before each retry. After the last one the job is dead. Default: 1 s to 1 h, seven attempts. */
  retryDelaysMs?: readonly number[];
  /**
   * Repeats the job, once for all replicas. The interval counts from the end of each execution. The first execution is at the
   * start. Default null: the job does not repeat.
   */
  everyMs?: number | null;
}

export interface DeadJob {
  id: string;
  kind: string;
  key: string | null;
  payload: JobPayload;
  attempts: number;
  lastError: string;
  diedAt: string;
}

export interface Schedule {
  kind: string;
  everyMs: number;
  /** Null while it is executed. */
  nextAtMs: number | null;
  /** The error of the last execution. */
  lastError: string | null;
}

/** Reads the rows of jobs. */
export interface JobRecords {
  /** Jobs that failed for the last time, newest first, for inspection. They are kept for a week. */
  dead(limit: number): Promise<DeadJob[]>;
  /** Counts dead jobs; with a time, those that died before it. */
  countDead(diedBeforeMs?: number): Promise<number>;
  /** The repeated jobs of all processes. */
  schedules(): Promise<Schedule[]>;
}

/** Deferred and repeated work that is done at least once, in any process. Jobs outlive the process. */
export interface Jobs extends JobRecords {
  /** Call it before `start`. */
  register(kind: string, handler: JobHandler, policy?: JobPolicy): void;
  /** Part of the caller's unit: the job exists if and only if its cause is committed. Call `wake` after the commit. */
  enqueue<Tables>(trx: WriteTransaction<Tables>, job: NewJob): Promise<void>;
  /** Call it after the commit of a unit with `enqueue`. Without it, the job is found within half a minute. */
  wake(kind: string): void;
  /** Does `enqueue` in a unit of its own, and `wake`. */
  add(job: NewJob): Promise<void>;
  start(): Promise<void>;
  /**
   * Takes no new jobs, gives running ones `graceMs` to finish, then aborts them and leaves them to the next process.
   */
  close(graceMs?: number): Promise<void>;
  /** The same records in a snapshot. */
  recordsIn(frozen: Database<unknown>): JobRecords;
  /** Counts the jobs of a kind that are not done yet, up to 10,000. */
  countWaiting(kind: string): Promise<number>;
  /** The time for which dead jobs are kept. */
  readonly deadKeptMs: number;
  /**
   * Makes a dead job wait again, with all its attempts. `replaced`: a newer one waits under its key, and the dead one is
   * gone. Null: no dead job has this id.
   */
  retry(id: string, alongside?: AuditPart): Promise<'waiting' | 'replaced' | null>;
}
