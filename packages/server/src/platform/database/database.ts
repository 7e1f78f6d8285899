import type { Kysely, Transaction } from 'kysely';
import type { PerformOptions, Results, Step } from './procedure.ts';

/** What a unit is given; named for functions that take part in somebody else's unit. */
export type WriteTransaction<Tables> = Transaction<Tables>;

/**
 * What areas see of storage. Reads go through `read` and never see uncommitted rows. Every write is a unit handed to
 * `write`, which answers after the commit is on disk.
 */
export interface Database<Tables> {
  readonly backend: 'memory' | 'sqlite' | 'postgres';
  readonly dialect: 'sqlite' | 'postgres';
  readonly read: Kysely<Tables>;
  /**
   * Units that arrive together share one commit on SQLite, a savepoint each: one that throws fails alone. A unit awaits
   * nothing but its `trx`.
   */
  write<Result>(unit: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * As `write`, for a unit that is made of steps; answers what they have answered. Where all of them are procedures and
   * SQLite has a thread, it is done there: for what every run and every step of a graph writes.
   */
  perform<const Steps extends readonly Step[]>(
    steps: Steps,
    options?: PerformOptions<Steps>,
  ): Promise<Results<Steps>>;
  /** As `write`, for as long as it takes and never beside another process that does the same: for migrations. */
  exclusive<Result>(unit: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** The same database seen with an area's own tables. */
  withTables<AreaTables>(): Database<AreaTables>;
  /** Throws when the database does not answer within the deadline. */
  ping(deadlineMs: number): Promise<void>;
  close(): Promise<void>;
}
