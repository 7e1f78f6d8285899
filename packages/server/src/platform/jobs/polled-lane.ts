import { JobAttempts, type JobAttemptsOptions } from './job-attempts.ts';
import type { JobLane, Swept } from './job-lane.ts';

interface PolledLaneOptions extends JobAttemptsOptions {
  /** True when each sweep tells the lane which jobs are due soon, so that it need not look for those of other processes. */
  isSwept: boolean;
}

/** Polling finds jobs of other processes. A wake and the timer find our own at once. */
const maxIdleMs = 30_000;
const afterTroubleMs = 5_000;
/** A job is due, but another process is claiming it at this moment. */
const afterContentionMs = 100;

/**
 * All jobs of one kind in this process, found by looking at rows. It looks for due jobs and runs as many as the policy
 * allows.
 */
export class PolledLane implements JobLane {
  readonly #options: PolledLaneOptions;
  readonly #attempts: JobAttempts;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #isStopped = false;
  #cancelLook: (() => void) | undefined;

  constructor(options: PolledLaneOptions) {
    this.#options = options;
    this.#attempts = new JobAttempts(options);
  }

  async start(): Promise<void> {
    this.wake();
  }

  /** The rows have it. */
  remember(): void {}

  wake(): void {
    if (this.#isStopped) return;
    if (this.#looking !== undefined) this.#lookAgain = true;
    else this.#looking = this.#look();
  }

  async sweep({ hasMoved, dueSoon }: Swept): Promise<void> {
    if (hasMoved || (this.#options.isSwept && dueSoon?.length !== 0)) this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelLook?.();
    await this.#looking;
    await this.#attempts.settled();
  }

  abort(): void {
    this.#attempts.abort();
  }

  /** Others read the rows. */
  async settled(): Promise<void> {}

  async close(): Promise<void> {}

  async #look(): Promise<void> {
    this.#cancelLook?.();
    let nextMs: number;
    do {
      this.#lookAgain = false;
      nextMs = await this.#startWhatIsDue();
    } while (this.#lookAgain && !this.#isStopped);
    this.#looking = undefined;
    if (!this.#isStopped) this.#cancelLook = this.#options.timer(() => this.wake(), nextMs);
  }

  /** Returns how long there will be nothing to do, as far as is known. */
  async #startWhatIsDue(): Promise<number> {
    const { kind, store, runner, isSwept, report } = this.#options;
    try {
      const delayMs = await store.untilNextDue(kind);
      if (delayMs === null) return maxIdleMs;
      if (delayMs > 0) return isSwept ? delayMs : Math.min(delayMs, maxIdleMs);
      const { free } = this.#attempts;
      // The lane looks again when a job ends.
      if (free <= 0 || this.#isStopped) return maxIdleMs;
      const claimed = await store.claim(kind, free, runner);
      if (this.#isStopped) await Promise.all(claimed.map((row) => store.handOver(row, runner)));
      else for (const row of claimed) void this.#attempts.begin(row).then(() => this.wake());
      if (claimed.length === 0) return afterContentionMs;
      this.#lookAgain = true;
      return maxIdleMs;
    } catch (error) {
      report({ kind, error });
      return afterTroubleMs;
    }
  }
}
