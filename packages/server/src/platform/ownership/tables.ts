/** The table that ownership owns. */
export interface OwnershipTables {
  leases: LeaseTable;
}

/** One row a key. Times are numbers here and no text: they are computed in SQL, by the clock of the database. */
export interface LeaseTable {
  key: string;
  /**
   * Higher at each change of the owner, for ever: it starts at the time of the first one in milliseconds, so that it goes on
   * ascending when a row that nobody used for long was pruned in between. Larger than an int4.
   */
  token: number;
  /** The process that holds it; null once it was given back. */
  holder: string | null;
  /** When it lapses, or when it was given back. */
  expiresAtMs: number;
}
