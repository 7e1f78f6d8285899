import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { AppError } from '../../../lib/app-error.ts';
import { type Deferred, newDeferred } from '../../../lib/async/deferred.ts';
import type { BoundStatement } from '../bound-statement.ts';
import { type DatabaseMeter, noMeter } from '../database.ts';
import { mapSqliteError } from '../database-errors.ts';
import type { RunAtOnce, TransactionBuilders } from '../query-builder.ts';
import { runUnit, type UnitBody } from '../unit.ts';
import { patienceMs, retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

interface WaitingUnit {
  body: UnitBody<unknown>;
  arrivedMs: number;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

export interface WriterLimits {
  /** Maximum number of waiting units. Further callers are refused, so that memory and waiting times stay bounded. */
  waitingUnits: number;
  /** A group ends at the limit that it reaches first. The event loop then turns before the next group. */
  unitsPerGroup: number;
  groupMs: number;
  /** The time for which a group waits for more units after a group of several. A unit that comes alone never waits. */
  gatherMs: number;
  /** The time for which another process may hold the database. */
  patienceMs: number;
}

const defaultLimits: WriterLimits = {
  waitingUnits: 10_000,
  unitsPerGroup: 256,
  groupMs: 6,
  // A turn of a busy event loop takes a millisecond or more, and the first frame of a stream waits for its commit.
  gatherMs: 2,
  patienceMs,
};

/**
 * All writes of the process go through it. Units that arrive while the event loop turns once share a commit, and each is
 * answered after that commit.
 */
export class GroupWriter {
  readonly #options;
  readonly #limits: WriterLimits;
  readonly #meter: DatabaseMeter;
  readonly #waiting: WaitingUnit[] = [];
  #openGroup: Deferred<void> | undefined;
  #running: Promise<void> | undefined;
  #unitsOfLastGroup = 1;
  #isClosed = false;

  constructor(options: {
    connection: SqliteConnection;
    builders: TransactionBuilders;
    limits?: Partial<WriterLimits> | undefined;
    meter?: DatabaseMeter;
    /** A snapshot that is open on the connection: no group begins before it is closed. */
    openSnapshot?: () => Promise<void> | undefined;
  }) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#meter = options.meter ?? noMeter;
  }

  /** While it is pending, the connection sees rows that are not committed. */
  get openGroup(): Promise<void> | undefined {
    return this.#openGroup?.promise;
  }

  write(body: UnitBody<unknown>): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal) {
      this.#meter.failed(refusal);
      return Promise.reject(refusal);
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ body, arrivedMs: performance.now(), resolve, reject });
      this.#running ??= this.#writeAll();
    });
  }

  /** Writes the waiting units, and accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #refusal(): AppError | undefined {
    if (this.#isClosed) return new AppError('shutting_down');
    const isFull = this.#waiting.length >= this.#limits.waitingUnits;
    return isFull ? new AppError('database_busy', { retryAfterSeconds: 1 }) : undefined;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Admits every unit that arrives in this turn of the event loop, and lets the loop do its other work.
      await nextTurn();
      await this.#gather();
      await this.#writeGroup();
    }
    this.#running = undefined;
  }

  /**
   * Callers that were just answered together write again within a few turns of the event loop, and a commit costs more than
   * the turns. The group therefore waits for as long as each turn brings another unit, up to `gatherMs`.
   */
  async #gather(): Promise<void> {
    if (this.#unitsOfLastGroup === 1) return;
    const endAt = performance.now() + this.#limits.gatherMs;
    for (let seen = 0; seen < this.#waiting.length && performance.now() < endAt; ) {
      seen = this.#waiting.length;
      await nextTurn();
    }
  }

  /** Begins, runs the units one after the other, commits, then resolves them all. */
  async #writeGroup(): Promise<void> {
    const { connection, builders, openSnapshot = () => undefined } = this.#options;
    const opened = newDeferred<void>();
    let group: SqliteGroup;
    try {
      group = await SqliteGroup.begin({
        connection,
        builders,
        patienceMs: this.#limits.patienceMs,
        openSnapshot,
        onBegin: () => {
          this.#openGroup = opened;
        },
      });
    } catch (error) {
      const mapped = mapSqliteError(error);
      for (const unit of this.#waiting.splice(0)) {
        this.#meter.failed(mapped);
        unit.reject(mapped);
      }
      return;
    }
    const beganMs = performance.now();
    const units: WaitingUnit[] = [];
    try {
      await this.#runUnits(group, units);
      group.commit();
      this.#unitsOfLastGroup = units.length;
    } catch (error) {
      group.giveUp(error);
    } finally {
      this.#openGroup = undefined;
      opened.resolve();
      this.#meter.worked(performance.now() - beganMs);
    }
    this.#settle(units, group.outcomes);
  }

  async #runUnits(group: SqliteGroup, units: WaitingUnit[]): Promise<void> {
    const endAt = performance.now() + this.#limits.groupMs;
    do {
      const unit = this.#waiting.shift();
      if (!unit) return;
      units.push(unit);
      this.#meter.waited(performance.now() - unit.arrivedMs);
      await group.run(unit.body);
    } while (units.length < this.#limits.unitsPerGroup && performance.now() < endAt);
  }

  #settle(units: readonly WaitingUnit[], outcomes: readonly Outcome[]): void {
    for (const [index, { resolve, reject }] of units.entries()) {
      const { result, failure } = outcomes[index] ?? {};
      if (failure) {
        const mapped = mapSqliteError(failure.error);
        this.#meter.failed(mapped);
        reject(mapped);
      } else resolve(result);
    }
  }
}

/** A unit that was executed. Without a failure it has succeeded, once the group is committed. */
interface Outcome {
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
class SqliteGroup {
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

  readonly #end = (last: readonly BoundStatement[], trx: Transaction<unknown>): undefined => {
    for (const statement of last) {
      const { sql, parameters } = statement.fill(trx);
      this.#connection.run(sql, parameters);
    }
  };

  /** Throws when the whole group is lost. */
  async run(body: UnitBody<unknown>): Promise<void> {
    const outcome: Outcome = {};
    this.outcomes.push(outcome);
    this.#connection.run('savepoint unit');
    try {
      outcome.result = await runUnit(body, { builders: this.#builders, run: this.#run, end: this.#end });
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
