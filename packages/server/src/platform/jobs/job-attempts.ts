import type { Timer } from '../../lib/async/timer.ts';
import type { Attempt, JobRow, JobStore, Runner } from './job-store.ts';
import type { JobHandler, JobPayload, JobPolicy } from './jobs.ts';

export interface JobAttemptsOptions {
  kind: string;
  handler: JobHandler;
  policy: Required<JobPolicy>;
  store: JobStore;
  runner: Runner;
  timer: Timer;
  /** From 0 to 1; spreads the retries of jobs that failed together. */
  random: () => number;
  report: (failure: JobFailure) => void;
}

/**
 * A failure for the log. Without a job, the process could not look for work, or could not record how a job ended.
 */
export interface JobFailure {
  kind: string;
  error: unknown;
  job?: { id: string; attempt: number; isDead: boolean };
}

const closing = new Error('The gateway is shutting down.');
const takenOver = new Error('Another process took this job over.');

/** The claimed jobs of one kind in this process: calls their handler, keeps their rows claimed, and records how they end. */
export class JobAttempts {
  readonly #options: JobAttemptsOptions;
  readonly #running = new Map<
    string,
    { attempt: Attempt; controller: AbortController; ended: Promise<void> }
  >();
  #cancelRenewal: (() => void) | undefined;

  constructor(options: JobAttemptsOptions) {
    this.#options = options;
  }

  /** Returns how many more jobs the policy allows at this moment. */
  get free(): number {
    return this.#options.policy.concurrency - this.#running.size;
  }

  /** Resolves when the end of the attempt is recorded, or cannot be recorded. Never rejects. */
  begin(row: JobRow): Promise<void> {
    const controller = new AbortController();
    const ended = this.#run(row, controller.signal).then(() => {
      this.#running.delete(row.id);
      if (this.#running.size === 0) this.#cancelRenewal?.();
    });
    this.#running.set(row.id, { attempt: row, controller, ended });
    if (this.#running.size === 1) this.#planRenewal();
    return ended;
  }

  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  abort(): void {
    for (const { controller } of this.#running.values()) controller.abort(closing);
    this.#cancelRenewal?.();
  }

  async #run(row: JobRow, signal: AbortSignal): Promise<void> {
    const { kind, store, runner, report } = this.#options;
    try {
      const failure = await this.#attempt(row, signal);
      if (signal.reason === takenOver) return;
      if (failure && signal.reason === closing) await store.handOver(row, runner);
      else if (failure) await this.#fail(row, failure.error);
      else if (row.intervalMs !== null)
        await store.repeat(row, runner, { afterMs: row.intervalMs, error: null });
      else await store.complete(row, runner);
    } catch (error) {
      // The end is not recorded, so the job expires and is run again.
      report({ kind, error });
    }
  }

  async #attempt(row: JobRow, signal: AbortSignal): Promise<{ error: unknown } | undefined> {
    const { id, kind, key, attempt } = row;
    // Its process ended in each attempt, so it is not tried again.
    if (attempt > this.#maxAttempts) return { error: 'Its process ended during the last attempt.' };
    try {
      const payload = JSON.parse(row.payload) as JobPayload;
      await this.#options.handler({ id, kind, key, payload, attempt, signal });
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async #fail(row: JobRow, error: unknown): Promise<void> {
    const { kind, store, runner, policy, random, report } = this.#options;
    const { id, attempt, intervalMs } = row;
    const isLast = attempt >= this.#maxAttempts;
    const afterMs = (policy.retryDelaysMs[attempt - 1] ?? 0) * (1 + random() / 5);
    report({ kind, error, job: { id, attempt, isDead: isLast && intervalMs === null } });
    if (!isLast) await store.retry(row, runner, { afterMs, error: String(error) });
    else if (intervalMs === null) await store.bury(row, runner, String(error));
    // Repeated work never dies; it continues with the next interval.
    else await store.repeat(row, runner, { afterMs: intervalMs, error: String(error) });
  }

  get #maxAttempts(): number {
    return this.#options.policy.retryDelaysMs.length + 1;
  }

  #planRenewal(): void {
    const { timer, runner } = this.#options;
    this.#cancelRenewal?.();
    this.#cancelRenewal = timer(() => void this.#renew(), runner.lockMs / 3);
  }

  async #renew(): Promise<void> {
    const { kind, store, runner, report } = this.#options;
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    try {
      const kept = await store.renew(
        running.map(({ attempt }) => attempt),
        runner,
      );
      for (const { attempt, controller } of running) if (!kept.has(attempt.id)) controller.abort(takenOver);
    } catch (error) {
      report({ kind, error });
    }
    this.#planRenewal();
  }
}
