import { newDeferred } from '../../../lib/async/deferred.ts';
import { sleepWithSignal } from '../../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import { untilAborted } from '../../../lib/async/until-aborted.ts';
import { type Clock, toIso } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { LeaseLost } from '../../../platform/ownership/lease.ts';
import type { Ownership } from '../../../platform/ownership/ownership.ts';
import type { RunClaimStore } from '../records/run-claim-store.ts';
import { RunStop } from '../records/run-stop.ts';
import type { RunStore, WaitingRun } from '../records/run-store.ts';
import type { RunExecutor } from './run-executor.ts';
import type { RunLine } from './run-line.ts';

/** The work that depends on the lease of this process. */
interface LeaseListener {
  /** There is a lease to work under, for the first time or again. */
  onReady?: () => void;
  /** Another process may soon own the runs under the lease: stop them, write nothing. */
  onLost?: (error: unknown) => void;
}

/** Avoids asking an unreachable database in a tight loop. */
const retryMs = 1_000;

/**
 * The lease under which this process works on runs. There is one for all runs, so that a run costs no write of its own for it.
 * Each run's row names the lease. When it lapses, the process that takes it over releases those rows.
 */
export class RunWorker {
  readonly #options;
  readonly #closing = new AbortController();
  readonly #listeners: LeaseListener[] = [];
  #id: string | null = null;
  #holding: Promise<void> = Promise.resolve();

  constructor(options: { ownership: Pick<Ownership, 'hold'>; timer?: Timer }) {
    this.#options = options;
  }

  /** Null while there is no lease. */
  get id(): string | null {
    return this.#id;
  }

  /** Register before `open`. */
  listen(listener: LeaseListener): void {
    this.#listeners.push(listener);
  }

  /** Resolves once there is a lease. */
  async open(): Promise<void> {
    const ready = newDeferred();
    this.#holding = this.#holdAlways(() => ready.resolve());
    await ready.promise;
  }

  /** Gives the lease back. The caller has released the rows before. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#holding;
  }

  /**
   * A lost lease is not taken again: another process may hold its name while it releases the runs. The next lease has a new name.
   */
  async #holdAlways(onFirst: () => void): Promise<void> {
    const { ownership, timer = systemTimer } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const id = newId();
      try {
        await ownership.hold(
          leaseOf(id),
          async (lease) => {
            this.#id = id;
            onFirst();
            for (const { onReady } of this.#listeners) onReady?.();
            await untilAborted(lease.signal);
            this.#id = null;
            // Told here, because giving the lease back waits for a database that may be the reason of the loss.
            if (!signal.aborted) for (const { onLost } of this.#listeners) onLost?.(lease.signal.reason);
          },
          { signal },
        );
      } catch (error) {
        if (signal.aborted) return;
        // They know a loss already. A lease that could not be taken is another matter.
        if (!(error instanceof LeaseLost)) for (const { onLost } of this.#listeners) onLost?.(error);
        await sleepWithSignal(retryMs, { signal, timer }).catch(() => undefined);
      }
    }
  }
}

/** The key of a worker's lease. */
function leaseOf(workerId: string): string {
  return `runs:${workerId}`;
}

const sweepEveryMs = 15_000;
const rowsAtOnce = 500;

/**
 * Finds runs that no process works on: at start, when a process has died, and now and then as a safety net that nothing else
 * relies on. A run that has not ended is waiting here, at work here, or under another process's lease that is watched.
 */
export class RunRecovery {
  readonly #options;
  readonly #timer: Timer;
  readonly #closing = new AbortController();
  readonly #watched = new Map<string, Promise<void>>();
  readonly #alongside: (() => Promise<void>)[] = [];
  #cancelTimer: () => void = () => undefined;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(options: {
    store: Pick<RunStore, 'openAfter'>;
    claims: Pick<RunClaimStore, 'releaseWorker' | 'release'>;
    line: Pick<RunLine, 'add'>;
    executor: Pick<RunExecutor, 'isAtWork' | 'stop'>;
    ownership: Pick<Ownership, 'hold'>;
    worker: Pick<RunWorker, 'id'>;
    clock: Clock;
    timer?: Timer;
    onFault: (error: unknown) => void;
  }) {
    this.#options = options;
    this.#timer = options.timer ?? systemTimer;
  }

  /** Registers other work that is done at the same interval. */
  alsoSweep(sweep: () => Promise<void>): void {
    this.#alongside.push(sweep);
  }

  async open(): Promise<void> {
    await this.sweep();
    this.#plan();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelTimer();
    await this.#sweeping;
    await Promise.all(this.#watched.values());
  }

  async sweep(): Promise<void> {
    const { store } = this.#options;
    let last: WaitingRun | null = null;
    do {
      const rows: WaitingRun[] = await store.openAfter(last, rowsAtOnce);
      for (const row of rows) await this.#lookAt(row);
      last = rows.length < rowsAtOnce ? null : (rows.at(-1) ?? null);
    } while (last && !this.#closing.signal.aborted);
    for (const sweep of this.#alongside) await sweep();
  }

  async #lookAt(run: WaitingRun): Promise<void> {
    const { line, executor, worker } = this.#options;
    if (run.worker_id === null) line.add(run);
    else if (run.worker_id !== worker.id) this.watch(run.worker_id);
    else if (!executor.isAtWork(run.run_id)) await this.#takeUpAgain(run);
    else if (run.cancel_action)
      executor.stop(run.run_id, new RunStop({ kind: 'cancelled', action: run.cancel_action }));
  }

  /** The run is claimed by this process but not at work: its claim or its end was written and the answer was lost. */
  async #takeUpAgain(run: WaitingRun): Promise<void> {
    const { claims, line, clock } = this.#options;
    await claims.release(run, toIso(clock()));
    line.add({ ...run, worker_id: null });
  }

  /** Waits until the process that owns these runs is gone, and releases them. That process may live for days. */
  watch(workerId: string): void {
    const isKnown = workerId === this.#options.worker.id || this.#watched.has(workerId);
    if (isKnown || this.#closing.signal.aborted) return;
    const { ownership, claims, clock, onFault } = this.#options;
    const { signal } = this.#closing;
    const watching = ownership
      .hold(leaseOf(workerId), async () => void (await claims.releaseWorker(workerId, toIso(clock()))), {
        signal,
      })
      .then(
        () => {
          this.#watched.delete(workerId);
          this.#sweepSoon();
        },
        (error: unknown) => {
          this.#watched.delete(workerId);
          if (!signal.aborted) onFault(error);
        },
      );
    this.#watched.set(workerId, watching);
  }

  #plan(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#timer(() => this.#sweepSoon(), sweepEveryMs);
  }

  #sweepSoon(): void {
    if (this.#closing.signal.aborted) return;
    this.#sweeping = this.#sweeping
      .then(() => this.sweep())
      .catch(this.#options.onFault)
      .then(() => this.#plan());
  }
}
