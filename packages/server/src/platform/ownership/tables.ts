/** The table that ownership owns. */
export interface OwnershipTables {
  leases: LeaseTable;
}

/** One row per key. Times are numbers and not text, because SQL computes them by the clock of the database. */
export interface LeaseTable {
  key: string;
  /**
   * Increases at each change of the owner, for ever. It starts at the time of the first change in milliseconds, so that
   * it still increases when an unused row was pruned in between. Larger than an int4.
   */
  token: number;
  /** The process that holds it; null once it was given back. */
  holder: string | null;
  /** When it expires, or when it was given back. */
  expiresAtMs: number;
}
