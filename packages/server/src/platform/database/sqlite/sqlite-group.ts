import type { RunAtOnce, TransactionBuilders } from '../query-builder.ts';
import { runUnit, type UnitBody } from '../unit.ts';
import { retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/** A unit that was executed. Without a failure it has succeeded, once the group is committed. */
export interface Outcome {
  result?: unknown;
  failure?: { error: unknown };
}

interface GroupOptions {
  connection: SqliteConnection;
  builders: TransactionBuilders;
  /** The time for which another process may hold the database. */
  patienceMs: number;
  /** While it is pending, the connection is in a transaction that only reads. */
  openSnapshot: () => Promise<void> | undefined;
  /** Called in the same turn in which the group begins. */
  onBegin: () => void;
}

/** Units that share a commit, and so one sync of the disk. Each has a savepoint: a unit that fails fails alone. */
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

  /**
   * Takes the write lock at once: a transaction that began as a reader could not become a writer after another process
   * has written.
   */
  static async begin(options: GroupOptions): Promise<SqliteGroup> {
    const { connection, patienceMs, openSnapshot, onBegin } = options;
    const group = new SqliteGroup(options);
    await retryWhileBusy(async () => {
      for (let open = openSnapshot(); open; open = openSnapshot()) await open;
      // Repeats a rollback that failed before.
      if (connection.isInTransaction) group.#rollBack();
      connection.run('begin immediate');
      onBegin();
    }, patienceMs);
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
      // SQLite ends the whole transaction itself when it cannot undo a single statement, as on a full disk.
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.run('rollback to unit');
    }
    this.#connection.run('release unit');
  }

  commit(): void {
    this.#connection.run('commit');
  }

  /** Call it after `run` or `commit` has thrown: nothing of the group is written. */
  giveUp(error: unknown): void {
    this.#rollBack();
    for (const outcome of this.outcomes) outcome.failure ??= { error };
  }

  #rollBack(): void {
    if (!this.#connection.isInTransaction) return;
    try {
      this.#connection.run('rollback');
    } catch {
      // The disk fails even here. The next group tries again before it begins.
    }
  }
}
