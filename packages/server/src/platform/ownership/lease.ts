import type { WriteTransaction } from '../database/database.ts';

/** The lease as the work that holds its key sees it. */
export interface Lease {
  readonly key: string;
  /** Increases with each new owner. Rows store it, so that the writes of an earlier owner no longer match them. */
  readonly token: number;
  /** Aborts when the work must stop: the lease is lost (then the reason is a `LeaseLost`), or the caller gave up. */
  readonly signal: AbortSignal;
  /**
   * Returns whether the lease still has time left. A process that stood still may run other code before its timers, so
   * the signal comes too late for what no row fences, such as a call to a worker: ask here directly before it.
   */
  stands: () => boolean;
  /**
   * Throws `LeaseLost` unless this process is still the owner; it then stays the owner until the unit has ended. For
   * writes to rows that have no token of their own. Use one lease per unit.
   */
  confirm<Tables>(trx: WriteTransaction<Tables>): Promise<void>;
}

/** Another process owns the key now, or may soon, because the lease could not be renewed in time. */
export class LeaseLost extends Error {
  readonly key: string;

  constructor(key: string, options?: { cause: unknown }) {
    super(`The lease on ${key} is lost.`, options);
    this.name = 'LeaseLost';
    this.key = key;
  }
}
