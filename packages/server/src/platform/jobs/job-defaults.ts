import { dayMs, hourMs, minuteMs, secondMs } from '../../lib/time-units.ts';
import type { JobPolicy } from './jobs.ts';

/** The time for which a process that runs a job may be silent before another one takes the job over. */
export const lockMs = 60_000;
/** Sweeps find a lock half a minute after its end. One that ended longer ago than this may have ended because the clock jumped. */
export const doubtAfterMs = 60_000;
/** A process that lives renews its locks within this time. */
export const graceMs = lockMs / 2;
/** The time for which `close` waits for jobs after it has aborted them. */
export const afterAbortMs = 1_000;
/** The interval at which a process looks for jobs that no wake and no timer of its own leads to. */
export const sweepEveryMs = 30 * secondMs;
export const keepDeadMs = 7 * dayMs;
/** The repeated job that deletes old dead jobs. */
export const prunes = { kind: 'jobs.prune', everyMs: hourMs };

export const defaultPolicy: Required<JobPolicy> = {
  concurrency: 4,
  retryDelaysMs: [secondMs, 5 * secondMs, 30 * secondMs, 2 * minuteMs, 10 * minuteMs, hourMs],
  everyMs: null,
};
