import { newDeferred } from '../../../lib/async/deferred.ts';
import { sleepWithSignal } from '../../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../../lib/async/timer.ts';
import { untilAborted } from '../../../lib/async/until-aborted.ts';
import { newId } from '../../../lib/ids.ts';
import { LeaseLost } from '../../../platform/ownership/lease.ts';
import type { Ownership } from '../../../platform/ownership/ownership.ts';

/** The work that depends on the lease of this process. */
export interface LeaseListener {
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

  constructor(options: {
    ownership: Pick<Ownership, 'hold'>;
    timer?: Timer;
  }) {
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
export function leaseOf(workerId: string): string {
  return `runs:${workerId}`;
}
