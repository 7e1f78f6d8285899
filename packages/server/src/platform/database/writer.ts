import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import { mapSqliteError } from './database-errors.ts';
import type { RunAtOnce, TransactionBuilders } from './query-builder.ts';
import { patienceMs, retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { runUnit, type UnitBody } from './unit.ts';

interface WaitingUnit {
  body: UnitBody<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

/** A unit that had its turn. Without a failure it has succeeded, once the group is committed. */
interface Outcome {
  unit: WaitingUnit;
  result?: unknown;
  failure?: { error: unknown };
}

export interface WriterLimits {
  /** Units in line. A caller beyond them is refused, so that memory and waiting times stay bounded. */
  waitingUnits: number;
  /** A group ends at whichever comes first, and then the event loop turns before the next one. */
  unitsPerGroup: number;
  groupMs: number;
  /** How long another process may hold the database. */
  patienceMs: number;
}

const defaultLimits: WriterLimits = { waitingUnits: 10_000, unitsPerGroup: 256, groupMs: 6, patienceMs };

/** A turn under load takes a millisecond or more, and the first frame of a stream waits for its commit. */
const longestTurnsMs = 2;
/** Timers count whole milliseconds, so a wait shorter than one would cost more than it saves. */
const slowCommitMs = 2;
const longestGatherMs = 4;

interface WriterOptions {
  connection: SqliteConnection;
  builders: TransactionBuilders;
  limits?: Partial<WriterLimits>;
}

/**
 * All writes of the process, in the order of arrival. Units that arrive while the event loop turns once share a commit,
 * and so one sync of the disk, with a savepoint each: one that fails fails alone. Nobody is answered before the commit.
 */
export class GroupWriter {
  readonly #connection: SqliteConnection;
  readonly #builders: TransactionBuilders;
  readonly #run: RunAtOnce;
  readonly #limits: WriterLimits;
  readonly #waiting: WaitingUnit[] = [];
  #openGroup: Deferred<void> | undefined;
  #running: Promise<void> | undefined;
  #lastGroup = { units: 1, commitMs: 0 };
  #isClosed = false;

  constructor({ connection, builders, limits }: WriterOptions) {
    this.#connection = connection;
    this.#builders = builders;
    this.#run = ({ sql, parameters }) => connection.run(sql, parameters);
    this.#limits = { ...defaultLimits, ...limits };
  }

  /** While it is pending, the connection sees rows that are not committed. */
  get openGroup(): Promise<void> | undefined {
    return this.#openGroup?.promise;
  }

  write(body: UnitBody<unknown>): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new AppError('shutting_down'));
    if (this.#waiting.length >= this.#limits.waitingUnits) {
      return Promise.reject(new AppError('database_busy', { retryAfterSeconds: 1 }));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ body, resolve, reject });
      this.#running ??= this.#writeAll();
    });
  }

  /** Writes what is in line, and takes nothing more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Lets everybody in who arrives in this turn of the event loop, and lets the loop do its other work.
      await nextTurn();
      await this.#gather();
      await this.#writeGroup();
    }
    this.#running = undefined;
  }

  /**
   * Where many write, those who were just answered write again within a few turns of the loop, and a commit costs more
   * than the turns, for as long as each brings somebody. Where the disk is slow as well, waiting longer for them saves a
   * sync that would hold the event loop for longer than the wait. Somebody who writes alone never waits.
   */
  async #gather(): Promise<void> {
    const { units, commitMs } = this.#lastGroup;
    if (units === 1) return;
    const endAt = performance.now() + longestTurnsMs;
    for (let seen = 0; seen < this.#waiting.length && performance.now() < endAt; ) {
      seen = this.#waiting.length;
      await nextTurn();
    }
    if (commitMs >= slowCommitMs) await sleep(Math.min(commitMs / 2, longestGatherMs));
  }

  /** Begin, run the units one after the other, commit, then answer them all. */
  async #writeGroup(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      for (const unit of this.#waiting.splice(0)) unit.reject(mapSqliteError(error));
      return;
    }
    const outcomes: Outcome[] = [];
    this.#openGroup = newDeferred();
    try {
      await this.#runUnits(outcomes);
      const committing = performance.now();
      this.#connection.run('commit');
      this.#lastGroup = { units: outcomes.length, commitMs: performance.now() - committing };
    } catch (error) {
      this.#rollBack();
      for (const outcome of outcomes) outcome.failure ??= { error };
    } finally {
      this.#openGroup.resolve();
      this.#openGroup = undefined;
    }
    for (const { unit, result, failure } of outcomes) {
      if (failure) unit.reject(mapSqliteError(failure.error));
      else unit.resolve(result);
    }
  }

  /** Takes the lock at once: a transaction that began as a reader could not become a writer when another process wrote. */
  async #begin(): Promise<void> {
    if (this.#connection.isInTransaction) this.#rollBack();
    await retryWhileBusy(() => this.#connection.run('begin immediate'), this.#limits.patienceMs);
  }

  async #runUnits(outcomes: Outcome[]): Promise<void> {
    const endAt = performance.now() + this.#limits.groupMs;
    do {
      const unit = this.#waiting.shift();
      if (!unit) return;
      const outcome: Outcome = { unit };
      outcomes.push(outcome);
      await this.#runUnit(outcome);
    } while (outcomes.length < this.#limits.unitsPerGroup && performance.now() < endAt);
  }

  /** Throws when the whole group is lost. */
  async #runUnit(outcome: Outcome): Promise<void> {
    this.#connection.run('savepoint unit');
    try {
      outcome.result = await runUnit(outcome.unit.body, { builders: this.#builders, run: this.#run });
    } catch (error) {
      outcome.failure = { error };
      // SQLite ends the whole transaction by itself where it cannot undo a statement alone, as on a full disk.
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.run('rollback to unit');
    }
    this.#connection.run('release unit');
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
