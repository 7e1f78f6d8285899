import type { RunStatus } from '@switchyard/contract/conversation/run';
import type { GivenSettings } from '../../../agents/state/graph-state.ts';
import { AppError } from '../../../lib/app-error.ts';
import type { Owner } from '../../../lib/owner.ts';
import type { BoundStatement } from '../../../platform/database/bound-statement.ts';
import type { Database, WriteTransaction } from '../../../platform/database/database.ts';
import { dialectOf, lockName } from '../../../platform/database/dialect.ts';
import type { ConversationTables, RunRow } from '../../tables.ts';
import { userScope } from '../../user-scope.ts';
import type { RunKwargs } from './run-request.ts';
import {
  anyOpenRunOf,
  isNotHeldUp,
  latestSuccessOf,
  newestRunOf,
  newRun,
  newRunInput,
  openRunsOf,
  pageOfRuns,
  runOfId,
} from './run-row-store.ts';

type Trx = WriteTransaction<ConversationTables>;
type Read = Database<ConversationTables>['read'];

/** The columns that the scheduler remembers of a run that waits. */
export type WaitingRun = Pick<
  RunRow,
  | 'run_id'
  | 'thread_id'
  | 'user_id'
  | 'admission'
  | 'created_at'
  | 'run_at'
  | 'worker_id'
  | 'attempt'
  | 'cancel_action'
>;

/** A run that is the next one of its thread. */
export type OfferableRun = Pick<
  RunRow,
  'run_id' | 'thread_id' | 'user_id' | 'created_at' | 'run_at' | 'attempt'
>;

/** Runs as rows, for reading. The store of claims changes runs while they are open. */
export class RunStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** A run of the owner; in this thread, when one is named. */
  async get(
    owner: Owner,
    { threadId, runId }: { threadId: string | null; runId: string },
  ): Promise<RunRow | undefined> {
    const userId = userScope(owner);
    const run = await runOfId.first(this.#database.read, { runId });
    const isWanted = run && (threadId ?? run.thread_id) === run.thread_id;
    return isWanted && (userId ?? run.user_id) === run.user_id ? run : undefined;
  }

  /** Newest first. */
  async list(
    owner: Owner,
    threadId: string,
    { status, limit, offset }: { status?: RunStatus | undefined; limit: number; offset: number },
  ): Promise<RunRow[]> {
    const page = { threadId, userId: userScope(owner), status: status ?? null, limit, offset };
    return (await pageOfRuns.run(this.#database.read, page)).rows;
  }

  /** This run and those after it, in the order of admission. */
  async since(
    owner: Owner,
    { threadId, admission, limit }: { threadId: string; admission: number; limit: number },
  ): Promise<RunRow[]> {
    const userId = userScope(owner);
    return this.#database.read
      .selectFrom('runs')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where('admission', '>=', admission)
      .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
      .orderBy('admission')
      .limit(limit)
      .execute();
  }

  /** Runs that have not ended, of one thread or of all. */
  async openOf(owner: Owner, threadId: string | null): Promise<RunRow[]> {
    const userId = userScope(owner);
    return this.#database.read
      .selectFrom('runs')
      .selectAll()
      .where('ended_at', 'is', null)
      .$if(threadId !== null, (query) => query.where('thread_id', '=', threadId ?? ''))
      .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
      .execute();
  }

  /** The runs of a thread that have not ended of all users, in the order of admission. */
  async openIn(threadId: string): Promise<RunRow[]> {
    return openRuns(this.#database.read, threadId);
  }

  /** The run of a thread that was admitted last. */
  async newestOf(threadId: string): Promise<Pick<RunRow, 'run_id' | 'admission'> | undefined> {
    return newestRunOf.first(this.#database.read, { threadId });
  }

  /** The checked requests, by run. */
  async inputs(runIds: readonly string[]): Promise<Map<string, string>> {
    const kwargsOf = new Map<string, string>();
    for (const runId of runIds) {
      const row = await this.#database.read
        .selectFrom('run_inputs')
        .select('kwargs')
        .where('run_id', '=', runId)
        .executeTakeFirst();
      if (row) kwargsOf.set(runId, row.kwargs);
    }
    return kwargsOf;
  }

  /** All runs that have not ended, in the order of threads, one slice at a time. */
  async openAfter(
    after: Pick<WaitingRun, 'thread_id' | 'admission'> | null,
    limit: number,
  ): Promise<WaitingRun[]> {
    return this.#database.read
      .selectFrom('runs')
      .select(waitingColumns)
      .where('ended_at', 'is', null)
      .$if(after !== null, (query) =>
        query.where(({ eb, refTuple, tuple }) =>
          eb(refTuple('thread_id', 'admission'), '>', tuple(after?.thread_id ?? '', after?.admission ?? 0)),
        ),
      )
      .orderBy('thread_id')
      .orderBy('admission')
      .limit(limit)
      .execute();
  }

  /** Runs that no other run of their thread holds up, and that are due before a time; of these threads, or of all. */
  async offerable(
    threadIds: readonly string[] | null,
    { at, dueBefore, limit }: { at: string; dueBefore: string; limit: number },
  ): Promise<OfferableRun[]> {
    return this.#database.read
      .selectFrom('runs')
      .select(['run_id', 'thread_id', 'user_id', 'created_at', 'run_at', 'attempt'])
      .where('ended_at', 'is', null)
      .where('worker_id', 'is', null)
      .$if(threadIds !== null, (query) => query.where('thread_id', 'in', threadIds ?? []))
      .where((either) => either.or([either('run_at', 'is', null), either('run_at', '<=', dueBefore)]))
      .where(isNotHeldUp(at))
      .orderBy('created_at')
      .limit(limit)
      .execute();
  }

  /** Counts runs that no process has begun. A count ends at its limit. */
  async countWaiting(
    userId: string,
    limits: { waiting: number; waitingPerUser: number },
    read: Read = this.#database.read,
  ): Promise<{ ofAll: number; ofUser: number }> {
    const waiting = read
      .selectFrom('runs')
      .select('run_id')
      .where('ended_at', 'is', null)
      .where('status', '=', 'pending');
    const count = (runs: typeof waiting) =>
      read.selectFrom(runs.as('waiting')).select(({ fn }) => fn.countAll<number>().as('count'));
    const counts = await read
      .selectNoFrom([
        count(waiting.limit(limits.waiting)).as('ofAll'),
        count(waiting.where('user_id', '=', userId).limit(limits.waitingPerUser)).as('ofUser'),
      ])
      .executeTakeFirstOrThrow();
    return { ofAll: Number(counts.ofAll), ofUser: Number(counts.ofUser) };
  }

  /** The runs of a thread that were admitted after another one, in that order. */
  async admittedAfter(
    threadId: string,
    { admission, limit }: { admission: number; limit: number },
  ): Promise<Pick<RunRow, 'run_id' | 'thread_id' | 'admission'>[]> {
    return this.#database.read
      .selectFrom('runs')
      .select(['run_id', 'thread_id', 'admission'])
      .where('thread_id', '=', threadId)
      .where('admission', '>', admission)
      .orderBy('admission')
      .limit(limit)
      .execute();
  }

  /** The first run of a thread that has not ended. */
  async firstOpen(threadId: string): Promise<RunRow | undefined> {
    return (await openRuns(this.#database.read, threadId))[0];
  }

  /** Threads that were to be deleted with their run and still exist. */
  async threadsToDelete(): Promise<Pick<RunRow, 'run_id' | 'thread_id' | 'user_id'>[]> {
    return this.#database.read
      .selectFrom('runs')
      .select(['run_id', 'thread_id', 'user_id'])
      .where('delete_thread', '=', 1)
      .where('ended_at', 'is not', null)
      .limit(1_000)
      .execute();
  }
}

const waitingColumns = [
  'run_id',
  'thread_id',
  'user_id',
  'admission',
  'created_at',
  'run_at',
  'worker_id',
  'attempt',
  'cancel_action',
] as const;

/**
 * Units that change the runs of one thread are done one after the other; units that only require that the runs do not change
 * share the lock. This is the first statement of a unit, before those that lock rows: otherwise two units could wait for each
 * other.
 */
export async function lockRuns(
  trx: Trx,
  threadId: string,
  { isShared }: { isShared: boolean } = { isShared: false },
): Promise<void> {
  await lockName(trx, { dialect: dialectOf(trx), name: `runs:${threadId}`, isShared });
}

/** Part of a unit: throws `thread_busy` when a run of the thread is open. No run can be admitted before the unit has ended. */
export async function requireNoOpenRun(trx: Trx, threadId: string): Promise<void> {
  await lockRuns(trx, threadId);
  if (await hasOpenRun(trx, threadId)) throw new AppError('thread_busy');
}

export function insertsOfRun(row: RunRow, kwargs: string): BoundStatement[] {
  return [newRunInput.bind({ runId: row.run_id, kwargs }), newRun.bind(row)];
}

export async function runById(read: Read, runId: string): Promise<RunRow | undefined> {
  return runOfId.first(read, { runId });
}

/** In the order of admission. */
export async function openRuns(read: Read, threadId: string): Promise<RunRow[]> {
  return (await openRunsOf.run(read, { threadId })).rows;
}

export async function hasOpenRun(read: Read, threadId: string): Promise<boolean> {
  return (await anyOpenRunOf.first(read, { threadId })) !== undefined;
}

/** Returns the `configurable` and the `context` of a run, or of the last one of a thread. Null when there is none. */
export async function settingsOfRun(
  read: Read,
  whose: { threadId: string } | { runId: string },
): Promise<GivenSettings | null> {
  const query = read
    .selectFrom('runs')
    .innerJoin('run_inputs', 'run_inputs.run_id', 'runs.run_id')
    .select('run_inputs.kwargs');
  const row = await ('runId' in whose
    ? query.where('runs.run_id', '=', whose.runId)
    : query.where('runs.thread_id', '=', whose.threadId).orderBy('runs.admission', 'desc').limit(1)
  ).executeTakeFirst();
  if (!row) return null;
  const { config, context, auth_user } = JSON.parse(row.kwargs) as Partial<RunKwargs>;
  return {
    configurable: config?.configurable ?? {},
    context: context ?? {},
    authUser: auth_user ?? null,
  };
}

/** Searches backwards for the latest success, past runs that failed. */
export async function latestSuccess(
  read: Read,
  ofUser: { threadId: string; userId: string },
): Promise<string | null> {
  return (await latestSuccessOf.first(read, ofUser))?.run_id ?? null;
}

export async function isRunOf(
  read: Read,
  { threadId, userId, runId }: { threadId: string; userId: string; runId: string },
): Promise<boolean> {
  const row = await read
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', '=', runId)
    .where('thread_id', '=', threadId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Part of deleting a thread. */
export async function forgetRuns(trx: Trx, threadId: string): Promise<void> {
  await trx
    .deleteFrom('run_inputs')
    .where('run_id', 'in', (query) =>
      query.selectFrom('runs').select('run_id').where('thread_id', '=', threadId),
    )
    .execute();
  await trx.deleteFrom('runs').where('thread_id', '=', threadId).execute();
}

/** Returns false when the run has not ended, or is deleted. */
export async function forgetRun(trx: Trx, runId: string): Promise<boolean> {
  const deleted = await trx
    .deleteFrom('runs')
    .where('run_id', '=', runId)
    .where('ended_at', 'is not', null)
    .executeTakeFirst();
  if (deleted.numDeletedRows === 0n) return false;
  await trx.deleteFrom('run_inputs').where('run_id', '=', runId).execute();
  return true;
}
