import type { WriteTransaction } from '../database/database.ts';

/** What the work is given that holds a key. */
export interface Lease {
  readonly key: string;
  /** Higher with each new owner. Stored with what is written, it keeps a late predecessor from matching a row. */
  readonly token: number;
  /** Aborts when the work must stop: the lease is lost (then the reason is a `LeaseLost`), or the caller gave up. */
  readonly signal: AbortSignal;
  /**
   * Throws `LeaseLost` unless this is still the owner, which then holds until the unit has ended. For a write whose rows
   * carry no token of their own. One lease a unit.
   */
  confirm<Tables>(trx: WriteTransaction<Tables>): Promise<void>;
}

/** Somebody else owns the key now, or may soon, since the lease could not be renewed in time. */
export class LeaseLost extends Error {
  readonly key: string;

  constructor(key: string, options?: { cause: unknown }) {
    super(`The lease on ${key} is lost.`, options);
    this.name = 'LeaseLost';
    this.key = key;
  }
}
