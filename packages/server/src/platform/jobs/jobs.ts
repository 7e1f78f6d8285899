import type { WriteTransaction } from '../database/database.ts';

/** Small and flat: a job names the rows that it is about, and its handler reads how they stand. */
export type JobPayload = Record<string, string | number | boolean | null>;

export interface NewJob {
  kind: string;
  /**
   * At most one job of a kind waits under one key: a second one replaces its payload and moves it to the new time. What
   * runs already is not replaced; the new one runs after it.
   */
  key?: string;
  /** Milliseconds since the epoch; now when absent. */
  runAtMs?: number;
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

/**
 * May be called more than once for one job (after a crash, after a cut), so it reads where its row stands and goes on from
 * there. What it throws is kept, and the job is tried again.
 */
export type JobHandler = (job: Job) => Promise<void>;

export interface JobPolicy {
  /** How many of a kind a process runs at once. Default 4. */
  concurrency?: number;
  /** The wait before each further attempt; after the last one the job is dead. Default: 1 s to 1 h, seven attempts. */
  retryDelaysMs?: readonly number[];
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

/** Deferred and repeated work, at least once, in whichever process comes first. Jobs outlive the process. */
export interface Jobs {
  /** Before `start`. */
  register(kind: string, handler: JobHandler, policy?: JobPolicy): void;
  /** Before `start`: repeats a registered kind, counted from the end of each run, once for all replicas. First run: at once. */
  every(kind: string, intervalMs: number): void;
  /** Part of the caller's unit: the job is there if and only if its cause is. Call `wake` after the commit. */
  enqueue<Tables>(trx: WriteTransaction<Tables>, job: NewJob): Promise<void>;
  /** After the commit of a unit with `enqueue`. Without it, the job is found within half a minute. */
  wake(kind: string): void;
  /** `enqueue` in a unit of its own, and `wake`. */
  add(job: NewJob): Promise<void>;
  start(): Promise<void>;
  /** Takes nothing new, lets what runs finish for `graceMs`, then aborts it and leaves it to the next process. */
  close(graceMs?: number): Promise<void>;
  /** Those that failed for the last time, newest first, for inspection. Kept for a week. */
  dead(limit: number): Promise<DeadJob[]>;
}
