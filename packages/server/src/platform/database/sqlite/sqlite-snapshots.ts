import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import { onlyReads } from '../query-builder.ts';
import { runUnit, type UnitBody } from '../unit.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { sqliteBuilders } from './sqlite-spelling.ts';

/**
 * The snapshots of the one connection. Its statements return at once and a snapshot awaits nothing else, so a snapshot is
 * over before the event loop turns. Snapshots that are open together share one transaction.
 */
export class SqliteSnapshots {
  readonly #connection: SqliteConnection;
  #open: { count: number; closed: Deferred<void> } | undefined;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** While it is pending, no group may begin. */
  get open(): Promise<void> | undefined {
    return this.#open?.closed.promise;
  }

  /** Call it only while no group is open. */
  async run<Result>(body: UnitBody<Result>): Promise<Result> {
    if (!this.#open) {
      this.#connection.run('begin');
      this.#open = { count: 0, closed: newDeferred() };
    }
    this.#open.count += 1;
    try {
      const run = onlyReads(async ({ sql, parameters }) => this.#connection.run(sql, parameters));
      return await runUnit(body, { builders: sqliteBuilders, run });
    } finally {
      this.#leave(this.#open);
    }
  }

  #leave(open: { count: number; closed: Deferred<void> }): void {
    open.count -= 1;
    if (open.count > 0) return;
    this.#open = undefined;
    // SQLite may have ended it after a fault of the disk.
    if (this.#connection.isInTransaction) this.#connection.run('rollback');
    open.closed.resolve();
  }
}
