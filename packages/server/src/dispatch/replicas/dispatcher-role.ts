import { newDeferred } from '../../lib/async/deferred.ts';
import { linkedAbort } from '../../lib/async/linked-abort.ts';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { type Lease, LeaseLost } from '../../platform/ownership/lease.ts';
import type { DispatchParts } from '../dispatch-parts.ts';

export interface DispatcherWork {
  /** Begins to place tasks and to look after instances. */
  lead: (lease: Lease) => Promise<void>;
  /** Called when the lease has ended. Resolves when this process does none of it any more. */
  follow: () => Promise<void>;
}

const dispatcherLease = 'dispatch';
const retryMs = 1_000;

/**
 * One replica at a time is the dispatcher: it alone places tasks and looks after instances, so that the order of the
 * queue is exact. The others take over when its lease is given back or has run out.
 */
export class DispatcherRole {
  readonly #options;
  readonly #closing = new AbortController();
  readonly #first = newDeferred();
  readonly #listeners = new Set<(isLeading: boolean) => void>();
  #holding: Promise<void> = Promise.resolve();
  #isLeading = false;
  #token: number | null = null;

  constructor(options: Pick<DispatchParts, 'ownership' | 'log'>) {
    this.#options = options;
    // Only a gateway that is alone waits for it.
    this.#first.promise.catch(() => undefined);
  }

  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** The token under which this process is the dispatcher, or was it last. */
  get token(): number | null {
    return this.#token;
  }

  /** Resolves when this process is the dispatcher for the first time. Rejects when its first try failed. */
  get led(): Promise<void> {
    return this.#first.promise;
  }

  /** Called when this process has become the dispatcher, and when it is not any more. */
  onChange(listener: (isLeading: boolean) => void): void {
    this.#listeners.add(listener);
  }

  start(work: DispatcherWork): void {
    this.#holding = this.#holdAgainAndAgain(work);
  }

  /** Lets another replica take over. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('The gateway is shutting down.'));
    await this.#holding;
  }

  async #holdAgainAndAgain(work: DispatcherWork): Promise<void> {
    const { ownership, log } = this.#options;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await ownership.hold(dispatcherLease, (lease) => this.#lead(lease, work), { signal });
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof LeaseLost) log.warn('this replica is not the dispatcher any more');
        else log.error({ err: error }, 'the dispatcher met an error');
        this.#first.reject(error);
        await sleepWithSignal(retryMs, { signal }).catch(() => undefined);
      }
    }
  }

  async #lead(lease: Lease, { lead, follow }: DispatcherWork): Promise<void> {
    this.#isLeading = true;
    this.#token = lease.token;
    this.#options.log.info({ leaseNumber: lease.token }, 'this replica is the dispatcher');
    const stay = linkedAbort(lease.signal);
    const { signal } = stay;
    const ended = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    try {
      await lead({ ...lease, signal });
      this.#first.resolve();
      for (const listener of this.#listeners) listener(true);
      await ended;
    } finally {
      this.#isLeading = false;
      stay.abort(new Error('This replica is not the dispatcher any more.'));
      stay.release();
      for (const listener of this.#listeners) listener(false);
      await follow();
    }
  }
}
