import type { Compilable, Kysely, QueryResult, Transaction } from 'kysely';
import type { Lastly } from './unit.ts';

/** The transaction that a unit receives. It has a name for functions that take part in another caller's unit. */
export type WriteTransaction<Tables> = Transaction<Tables>;

/**
 * Storage as areas see it. Reads go through `read` and never see uncommitted rows. Every write is a unit passed to
 * `write`, which resolves after the commit is on disk.
 */
export interface Database<Tables> {
  readonly backend: 'memory' | 'sqlite' | 'postgres';
  readonly dialect: 'sqlite' | 'postgres';
  readonly read: Kysely<Tables>;
  /**
   * On SQLite, units that arrive together share one commit, with a savepoint each: a unit that throws fails alone. A
   * unit may await only its `trx`. Statements whose results it does not need are handed to `lastly`. Postgres gets
   * them as one, together with the commit: what they lock is then free again without a wait for this process.
   */
  write<Result>(unit: (trx: Transaction<Tables>, lastly: Lastly) => Promise<Result>): Promise<Result>;
  /**
   * Does a unit that is one statement, and returns what it returns. Postgres needs no begin and commit for it: for what is
   * done often.
   */
  writeOne<Row>(statement: (db: Kysely<Tables>) => Compilable<Row>): Promise<QueryResult<Row>>;
  /**
   * Runs reads that all see the rows of one moment: what is committed meanwhile is not seen. Make the stores that read over
   * `frozen`. It may await only `frozen`, like a unit.
   */
  snapshot<Result>(read: (frozen: Database<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * Does what `write` does, without a time limit, and never at the same time as another process that does the same. For
   * migrations.
   */
  exclusive<Result>(unit: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** The same database, typed with an area's own tables. */
  withTables<AreaTables>(): Database<AreaTables>;
  /** Throws when the database does not respond within the deadline. */
  ping(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Gets what an engine does, for the metrics. */
export interface DatabaseMeter {
  /** A unit of writes waited for the writer of SQLite, or a caller for a connection to Postgres. */
  waited(ms: number): void;
  /** The writer or a connection was in use. */
  worked(ms: number): void;
  /** Something was not done. Most errors are those of the caller's own code. */
  failed(error: unknown): void;
}

export const noMeter: DatabaseMeter = {
  waited: () => undefined,
  worked: () => undefined,
  failed: () => undefined,
};
