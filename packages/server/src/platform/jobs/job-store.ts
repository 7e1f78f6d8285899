import { type ExpressionBuilder, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { AuditPart } from '../audit/audit.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import type { DatabaseTime } from '../database/database-time.ts';
import { doubtAfterMs, graceMs } from './job-defaults.ts';
import type { NewJob } from './jobs.ts';
import type { JobTable, JobTables } from './tables.ts';

export type JobRow = Selectable<JobTable>;
type JobColumns = UpdateObject<JobTables, 'jobs'>;

/** One attempt of a job, as the process that runs it knows it. */
export type Attempt = Pick<JobRow, 'id' | 'kind' | 'key' | 'attempt'>;

/** A process that runs jobs, and how long it may be silent before it counts as dead. */
export interface Runner {
  id: string;
  lockMs: number;
}

/** The state of a job that an offer is about. */
export interface DueJob {
  id: string;
  attempt: number;
  dueAtMs: number;
  /** The time until it is due, by the clock of the database; 0 or less when it is due now. */
  delayMs: number;
}

const maxPayloadBytes = 16 * 1024;
const maxErrorLength = 2_000;

export class JobStore {
  readonly #database: Database<JobTables>;
  readonly #time: DatabaseTime;

  constructor(database: Database<JobTables>, time: DatabaseTime) {
    this.#database = database;
    this.#time = time;
  }

  /** Returns the id of the job: that of the one that waits under the key, if there is one. */
  async insert<Tables>(
    trx: WriteTransaction<Tables>,
    { kind, key, runAtMs, waitMs = 0, payload }: NewJob,
  ): Promise<string> {
    const text = JSON.stringify(payload);
    if (Buffer.byteLength(text) > maxPayloadBytes) {
      throw new Error(
        `The payload of a ${kind} job is larger than ${maxPayloadBytes} bytes. Let it name a row.`,
      );
    }
    const { id } = await asOwn(trx)
      .insertInto('jobs')
      .values({
        ...this.#blank(kind),
        key: key ?? null,
        payload: text,
        ...(runAtMs === undefined ? this.#dueAfter(waitMs) : { dueAtMs: runAtMs, waitMs: null }),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['kind', 'key'])
          .where('runner', 'is', null)
          .where('dueAtMs', 'is not', null)
          .doUpdateSet((row) => ({
            payload: row.ref('excluded.payload'),
            dueAtMs: row.ref('excluded.dueAtMs'),
            waitMs: row.ref('excluded.waitMs'),
            attempt: 0,
          })),
      )
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  async add(job: NewJob): Promise<string> {
    return this.#database.write((trx) => this.insert(trx, job));
  }

  /**
   * There is one row per kind, whatever process adds it and whatever state it is in. A shorter interval counts from
   * now.
   */
  async putSchedule(kind: string, intervalMs: number): Promise<void> {
    const id = `every:${kind}`;
    const sooner = this.#dueAfter(intervalMs);
    await this.#database.write(async (trx) => {
      await trx
        .insertInto('jobs')
        .values({ ...this.#blank(kind), id, intervalMs })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ intervalMs }))
        .execute();
      await trx
        .updateTable('jobs')
        .set(sooner)
        .where('id', '=', id)
        .where('runner', 'is', null)
        .where('dueAtMs', '>', sooner.dueAtMs)
        .execute();
    });
  }

  /** After the clock was set back: what waits for longer than it was to wait counts from now. Returns how many jobs did. */
  async shortenWaits(): Promise<number> {
    const latest = sql<number>`(${this.#time()} + "waitMs")`;
    const { numUpdatedRows } = await this.#database.write((trx) =>
      trx
        .updateTable('jobs')
        .set({ dueAtMs: latest })
        .where('waitMs', 'is not', null)
        .where('dueAtMs', '>', latest)
        .executeTakeFirstOrThrow(),
    );
    return Number(numUpdatedRows);
  }

  /**
   * After the clock jumped ahead: a lock that seems to have ended long ago is kept for a little longer, so that its holder can
   * renew it. When the holder is dead, the job is taken over after that.
   */
  async keepDoubtfulLocks(): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('jobs').set(this.#dueAfter(graceMs)).where(this.#isDoubtful()).execute(),
    );
  }

  /** Returns how long until a job of this kind is due: 0 or less when it is due now, null when no job waits. */
  async untilNextDue(kind: string): Promise<number | null> {
    const next = await this.#database.read
      .selectFrom('jobs')
      .select(['dueAtMs', this.#time().as('nowMs')])
      .where('kind', '=', kind)
      .where('dueAtMs', 'is not', null)
      .where(({ not }) => not(this.#isDoubtful()))
      .orderBy('dueAtMs')
      .limit(1)
      .executeTakeFirst();
    return next?.dueAtMs == null ? null : next.dueAtMs - next.nowMs;
  }

  /** Begins attempts of due jobs, including those that a dead process left behind. */
  async claim(kind: string, limit: number, runner: Runner): Promise<JobRow[]> {
    return this.#database.write(async (trx) => {
      const due = trx
        .selectFrom('jobs')
        .select('id')
        .where('kind', '=', kind)
        .where('dueAtMs', '<=', this.#time())
        .where(({ not }) => not(this.#isDoubtful()))
        .orderBy('dueAtMs')
        .limit(limit);
      // Postgres: rows that another process is claiming are skipped instead of waited for.
      const locked = this.#database.dialect === 'postgres' ? due.forUpdate().skipLocked() : due;
      const ids = (await locked.execute()).map(({ id }) => id);
      if (ids.length === 0) return [];
      return trx
        .updateTable('jobs')
        .set((row) => ({
          runner: runner.id,
          attempt: row('attempt', '+', 1),
          ...this.#dueAfter(runner.lockMs),
        }))
        .where('id', 'in', ids)
        .returningAll()
        .execute();
    });
  }

  /** Begins an attempt of this job. Returns undefined when it is not due, which a claim of another process makes it too. */
  async claimOne(id: string, runner: Runner): Promise<JobRow | undefined> {
    const { rows } = await this.#database.writeOne((db) =>
      db
        .updateTable('jobs')
        .set((row) => ({
          runner: runner.id,
          attempt: row('attempt', '+', 1),
          ...this.#dueAfter(runner.lockMs),
        }))
        .where('id', '=', id)
        .where('dueAtMs', '<=', this.#time())
        .where(({ not }) => not(this.#isDoubtful()))
        .returningAll(),
    );
    return rows[0];
  }

  /** The jobs of these kinds that wait and are due within this time, and those that a dead process left behind; the first ones first. */
  async dueWithin(
    kinds: readonly string[],
    { horizonMs, limit }: { horizonMs: number; limit: number },
  ): Promise<(DueJob & { kind: string })[]> {
    const rows = await this.#waiting()
      .select('kind')
      .where('kind', 'in', kinds)
      .where('dueAtMs', '<=', this.#timeAfter(horizonMs))
      .where(({ not }) => not(this.#isDoubtful()))
      .where((either) => either.or([either('runner', 'is', null), either('dueAtMs', '<=', this.#time())]))
      .orderBy('dueAtMs')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...asDueJob(row), kind: row.kind }));
  }

  /** Those of these jobs that wait, or that were given back. */
  async dueAmong(ids: readonly string[]): Promise<DueJob[]> {
    if (ids.length === 0) return [];
    const rows = await this.#waiting()
      .where('id', 'in', ids)
      .where((either) => either.or([either('runner', 'is', null), either('dueAtMs', '<=', this.#time())]))
      .execute();
    return rows.map(asDueJob);
  }

  /** When a job concerns a process again; undefined when it is done or dead. */
  async waitOf(id: string): Promise<(DueJob & { isClaimed: boolean }) | undefined> {
    const row = await this.#waiting().select('runner').where('id', '=', id).executeTakeFirst();
    return row && { ...asDueJob(row), isClaimed: row.runner !== null };
  }

  /** Returns the ids of those that are still ours. */
  async renew(attempts: Attempt[], runner: Runner): Promise<Set<string>> {
    const { rows } = await this.#database.writeOne((db) =>
      db
        .updateTable('jobs')
        .set(this.#dueAfter(runner.lockMs))
        .where('runner', '=', runner.id)
        .where((either) =>
          either.or(attempts.map(({ id, attempt }) => either('id', '=', id).and('attempt', '=', attempt))),
        )
        .returning('id'),
    );
    return new Set(rows.map(({ id }) => id));
  }

  async complete(attempt: Attempt, runner: Runner): Promise<void> {
    await this.#database.writeOne((db) => db.deleteFrom('jobs').where(isOurs(attempt, runner)));
  }

  async repeat(
    attempt: Attempt,
    runner: Runner,
    next: { afterMs: number; error: string | null },
  ): Promise<void> {
    const due = this.#dueAfter(next.afterMs);
    await this.#end(attempt, runner, { runner: null, attempt: 0, ...due, lastError: cut(next.error) });
  }

  /** Makes the job wait again, unless a newer one waits under its key: then that one replaces it. */
  async retry(attempt: Attempt, runner: Runner, next: { afterMs: number; error: string }): Promise<void> {
    const columns = { runner: null, ...this.#dueAfter(next.afterMs), lastError: cut(next.error) };
    await this.#database.write(async (trx) => {
      const mine = isOurs(attempt, runner);
      if (await isReplaced(trx, attempt)) await trx.deleteFrom('jobs').where(mine).execute();
      else await trx.updateTable('jobs').set(columns).where(mine).execute();
    });
  }

  /** The attempt does not count, and any process may begin the next one now. */
  async handOver(attempt: Attempt, runner: Runner): Promise<void> {
    await this.#end(attempt, runner, { attempt: attempt.attempt - 1, ...this.#dueAfter(0) });
  }

  async bury(attempt: Attempt, runner: Runner, error: string): Promise<void> {
    const diedAtMs = this.#time();
    await this.#end(attempt, runner, { runner: null, dueAtMs: null, diedAtMs, lastError: cut(error) });
  }

  /** For a database that one process owns: no earlier process runs a job any more. */
  async handOverAll(): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('jobs').set(this.#dueAfter(0)).where('runner', 'is not', null).execute(),
    );
  }

  async listDead(limit: number): Promise<JobRow[]> {
    return this.#database.read
      .selectFrom('jobs')
      .selectAll()
      .where('diedAtMs', 'is not', null)
      .orderBy('diedAtMs', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  }

  async countDead(diedBeforeMs?: number): Promise<number> {
    const { count } = await this.#database.read
      .selectFrom('jobs')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('diedAtMs', 'is not', null)
      .$if(diedBeforeMs !== undefined, (query) => query.where('diedAtMs', '<', diedBeforeMs ?? 0))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Returns the kind of the job and what became of it; undefined when no dead job has this id. */
  async revive(
    id: string,
    alongside: AuditPart,
  ): Promise<{ kind: string; outcome: 'waiting' | 'replaced' } | undefined> {
    return this.#database.write(async (trx) => {
      const dead = await trx
        .selectFrom('jobs')
        .select(['id', 'kind', 'key', 'attempt'])
        .where('id', '=', id)
        .where('diedAtMs', 'is not', null)
        .$if(this.#database.dialect === 'postgres', (query) => query.forUpdate())
        .executeTakeFirst();
      if (!dead) return undefined;
      await alongside(trx);
      if (await isReplaced(trx, dead)) {
        await trx.deleteFrom('jobs').where('id', '=', id).execute();
        return { kind: dead.kind, outcome: 'replaced' };
      }
      const columns = { runner: null, attempt: 0, ...this.#dueAfter(0), diedAtMs: null };
      await trx.updateTable('jobs').set(columns).where('id', '=', id).execute();
      return { kind: dead.kind, outcome: 'waiting' };
    });
  }

  /** Counts the jobs that wait or are at work, up to the limit. */
  async countWaiting(kind: string, limit: number): Promise<number> {
    const { count } = await this.#database.read
      .selectFrom((query) =>
        query
          .selectFrom('jobs')
          .select('id')
          .where('kind', '=', kind)
          .where('dueAtMs', 'is not', null)
          .limit(limit)
          .as('waiting'),
      )
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async listSchedules(): Promise<JobRow[]> {
    return this.#database.read
      .selectFrom('jobs')
      .selectAll()
      .where('intervalMs', 'is not', null)
      .orderBy('kind')
      .execute();
  }

  async pruneDead(olderThanMs: number): Promise<void> {
    await this.#database.write((trx) =>
      trx.deleteFrom('jobs').where('diedAtMs', '<', this.#timeAfter(-olderThanMs)).execute(),
    );
  }

  #waiting() {
    return this.#database.read
      .selectFrom('jobs')
      .select(['id', 'attempt', 'dueAtMs', this.#time().as('nowMs')])
      .where('dueAtMs', 'is not', null);
  }

  async #end(attempt: Attempt, runner: Runner, columns: JobColumns): Promise<void> {
    await this.#database.writeOne((db) => db.updateTable('jobs').set(columns).where(isOurs(attempt, runner)));
  }

  #blank(kind: string) {
    return {
      id: newTimeOrderedId(),
      kind,
      key: null,
      payload: '{}',
      ...this.#dueAfter(0),
      runner: null,
      attempt: 0,
      intervalMs: null,
      lastError: null,
      diedAtMs: null,
    };
  }

  /** The columns that make a job due after this time. */
  #dueAfter(delayMs: number): { dueAtMs: RawBuilder<number>; waitMs: number } {
    const waitMs = Math.round(delayMs);
    return { dueAtMs: this.#timeAfter(waitMs), waitMs };
  }

  /** A job that was handed over has no lock any more: its `waitMs` is 0. */
  #isDoubtful() {
    return sql<boolean>`("runner" is not null and coalesce("waitMs", 0) > 0 and "dueAtMs" < ${this.#timeAfter(-doubtAfterMs)})`;
  }

  #timeAfter(delayMs: number): RawBuilder<number> {
    return sql<number>`(${this.#time()} + ${Math.round(delayMs)})`;
  }
}

function asDueJob({
  id,
  attempt,
  dueAtMs,
  nowMs,
}: Pick<JobRow, 'id' | 'attempt' | 'dueAtMs'> & { nowMs: number }): DueJob {
  // Only rows with a time are read.
  const atMs = dueAtMs ?? nowMs;
  return { id, attempt, dueAtMs: atMs, delayMs: atMs - nowMs };
}

/** An attempt that was taken over by another process matches no row. */
function isOurs({ id, attempt }: Attempt, runner: Runner) {
  return (row: ExpressionBuilder<JobTables, 'jobs'>) => row.and({ id, attempt, runner: runner.id });
}

async function isReplaced(trx: WriteTransaction<JobTables>, { kind, key }: Attempt): Promise<boolean> {
  if (key === null) return false;
  const newer = await trx
    .selectFrom('jobs')
    .select('id')
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('runner', 'is', null)
    .where('dueAtMs', 'is not', null)
    .executeTakeFirst();
  return newer !== undefined;
}

function cut(error: string | null): string | null {
  return error === null ? null : error.slice(0, maxErrorLength);
}

/** The caller's transaction, typed with the table of jobs. */
function asOwn<Tables>(trx: WriteTransaction<Tables>): WriteTransaction<JobTables> {
  return trx as unknown as WriteTransaction<JobTables>;
}
