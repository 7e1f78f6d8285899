import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../lib/app-error.ts';
import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import { mapSqliteError } from './database-errors.ts';
import type { Call } from './procedure.ts';
import type { TransactionBuilders } from './query-builder.ts';
import { patienceMs } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { type Outcome, SqliteGroup } from './sqlite-group.ts';
import type { UnitBody } from './unit.ts';
import type { WriteThread } from './write-thread/write-thread.ts';

interface WaitingUnit {
  body: UnitBody<unknown>;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
}

type OnDoubt = (results: unknown) => void;

export interface WriterLimits {
  /** Maximum number of waiting units. Further callers are refused, so that memory and waiting times stay bounded. */
  waitingUnits: number;
  /** A group ends at the limit that it reaches first. The event loop then turns before the next group. */
  unitsPerGroup: number;
  groupMs: number;
  /** How long another process may hold the database. */
  patienceMs: number;
}

const defaultLimits: WriterLimits = { waitingUnits: 10_000, unitsPerGroup: 256, groupMs: 6, patienceMs };

/** A turn under load takes a millisecond or more, and the first frame of a stream waits for its commit. */
const maxTurnsMs = 2;
/** Timers count whole milliseconds, so a shorter wait would cost more than it saves. */
const slowCommitMs = 2;
const maxGatherMs = 4;

interface WriterOptions {
  connection: SqliteConnection;
  builders: TransactionBuilders;
  /** Has a connection of its own. While it writes, this thread does not, and the other way round. */
  thread?: WriteThread | undefined;
  limits?: Partial<WriterLimits> | undefined;
}

/**
 * All writes of the process. Units that arrive while the event loop turns once share a commit, and nobody is answered before
 * it. Units for the other thread go there at once; the two never write at the same time, and take turns where both want to.
 */
export class GroupWriter {
  readonly #options: WriterOptions;
  readonly #limits: WriterLimits;
  readonly #waiting: WaitingUnit[] = [];
  /** Pending while this thread has its turn, or waits for it: until then nothing goes to the other one. */
  #turn: Deferred<void> | undefined;
  #openGroup: Deferred<void> | undefined;
  #running: Promise<void> | undefined;
  #lastGroup = { units: 1, commitMs: 0 };
  /** Units that the other thread has, or is to have. */
  #sending = 0;
  #isClosed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#limits = { ...defaultLimits, ...options.limits };
  }

  /** While it is pending, the connection sees rows that are not committed. */
  get openGroup(): Promise<void> | undefined {
    return this.#openGroup?.promise;
  }

  write(body: UnitBody<unknown>): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ body, resolve, reject });
      this.#running ??= this.#writeAll();
    });
  }

  /** A unit for the other thread: answers what the calls have answered, in their order. */
  async send(thread: WriteThread, calls: readonly Call[], onDoubt?: OnDoubt): Promise<unknown> {
    const refusal = this.#refusal();
    if (refusal) throw refusal;
    this.#sending += 1;
    try {
      while (this.#turn) await this.#turn.promise;
      const { result, failure } = await thread.write(calls);
      if (!failure) return result;
      if (result !== undefined) onDoubt?.(result);
      throw failure.error;
    } finally {
      this.#sending -= 1;
    }
  }

  /** Writes the waiting units, and accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#options.thread?.close();
  }

  #refusal(): AppError | undefined {
    if (this.#isClosed) return new AppError('shutting_down');
    const isFull = this.#waiting.length + this.#sending >= this.#limits.waitingUnits;
    return isFull ? new AppError('database_busy', { retryAfterSeconds: 1 }) : undefined;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Admits every unit that arrives in this turn of the event loop, and lets the loop do its other work.
      await nextTurn();
      await this.#gather();
      this.#turn = newDeferred();
      await this.#options.thread?.idle();
      await this.#writeGroup();
      this.#turn.resolve();
      this.#turn = undefined;
    }
    this.#running = undefined;
  }

  /**
   * When many callers write, those whose units were just committed write again within a few turns of the loop. A commit
   * costs more than these turns, so the group waits as long as each turn brings a unit. When the disk is slow as well,
   * a longer wait saves a sync that would hold the event loop for longer than the wait. A single caller never waits.
   */
  async #gather(): Promise<void> {
    const { units, commitMs } = this.#lastGroup;
    if (units === 1) return;
    const endAt = performance.now() + maxTurnsMs;
    for (let seen = 0; seen < this.#waiting.length && performance.now() < endAt; ) {
      seen = this.#waiting.length;
      await nextTurn();
    }
    if (commitMs >= slowCommitMs) await sleep(Math.min(commitMs / 2, maxGatherMs));
  }

  /** Begins, runs the units one after the other, commits, then resolves them all. */
  async #writeGroup(): Promise<void> {
    const { connection, builders } = this.#options;
    let group: SqliteGroup;
    try {
      group = await SqliteGroup.begin({ connection, builders, patienceMs: this.#limits.patienceMs });
    } catch (error) {
      for (const unit of this.#waiting.splice(0)) unit.reject(mapSqliteError(error));
      return;
    }
    const units: WaitingUnit[] = [];
    this.#openGroup = newDeferred();
    try {
      await this.#runUnits(group, units);
      const committing = performance.now();
      group.commit();
      this.#lastGroup = { units: units.length, commitMs: performance.now() - committing };
    } catch (error) {
      group.giveUp(error);
    } finally {
      this.#openGroup.resolve();
      this.#openGroup = undefined;
    }
    settle(units, group.outcomes);
  }

  async #runUnits(group: SqliteGroup, units: WaitingUnit[]): Promise<void> {
    const endAt = performance.now() + this.#limits.groupMs;
    do {
      const unit = this.#waiting.shift();
      if (!unit) return;
      units.push(unit);
      await group.run(unit.body);
    } while (units.length < this.#limits.unitsPerGroup && performance.now() < endAt);
  }
}

function settle(units: readonly WaitingUnit[], outcomes: readonly Outcome[]): void {
  for (const [index, { resolve, reject }] of units.entries()) {
    const { result, failure } = outcomes[index] ?? {};
    if (failure) reject(mapSqliteError(failure.error));
    else resolve(result);
  }
}
