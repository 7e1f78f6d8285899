import type { RunAtOnce, TransactionBuilders } from './query-builder.ts';
import { retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { runUnit, type UnitBody } from './unit.ts';

/** A unit that had its turn. Without a failure it has succeeded, once the group is committed. */
export interface Outcome {
  result?: unknown;
  failure?: { error: unknown };
}

interface GroupOptions {
  connection: SqliteConnection;
  builders: TransactionBuilders;
  /** How long another process may hold the database. */
  patienceMs: number;
}

/** Units that share a commit, and so one sync of the disk, with a savepoint each: one that fails fails alone. */
export class SqliteGroup {
  readonly outcomes: Outcome[] = [];
  readonly #connection: SqliteConnection;
  readonly #builders: TransactionBuilders;
  readonly #run: RunAtOnce;

  private constructor({ connection, builders }: GroupOptions) {
    this.#connection = connection;
    this.#builders = builders;
    this.#run = ({ sql, parameters }) => connection.run(sql, parameters);
  }

  /** Takes the lock at once: a transaction that began as a reader could not become a writer when another process wrote. */
  static async begin(options: GroupOptions): Promise<SqliteGroup> {
    const { connection, patienceMs } = options;
    const group = new SqliteGroup(options);
    // A rollback that failed is made up for.
    if (connection.isInTransaction) group.#rollBack();
    await retryWhileBusy(() => connection.run('begin immediate'), patienceMs);
    return group;
  }

  /** Throws when the whole group is lost. */
  async run(body: UnitBody<unknown>): Promise<void> {
    const outcome: Outcome = {};
    this.outcomes.push(outcome);
    this.#connection.run('savepoint unit');
    try {
      outcome.result = await runUnit(body, { builders: this.#builders, run: this.#run });
    } catch (error) {
      outcome.failure = { error };
      // SQLite ends the whole transaction by itself where it cannot undo a statement alone, as on a full disk.
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.run('rollback to unit');
    }
    this.#connection.run('release unit');
  }

  commit(): void {
    this.#connection.run('commit');
  }

  /** After what `run` or `commit` has thrown: nothing of it is written. */
  giveUp(error: unknown): void {
    this.#rollBack();
    for (const outcome of this.outcomes) outcome.failure ??= { error };
  }

  #rollBack(): void {
    if (!this.#connection.isInTransaction) return;
    try {
      this.#connection.run('rollback');
    } catch {
      // The disk fails even at that. The next group tries again before it begins.
    }
  }
}
