import type { RunStatus } from '@switchyard/contract/conversation/run';
import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { Prepared } from '../../../platform/database/prepared.ts';
import { endColumns } from '../../run-columns.ts';
import type { ConversationTables, RunRow } from '../../tables.ts';

/** The statements that every run needs, built once. The stores of runs and claims say what they mean together. */

type Db = Kysely<ConversationTables>;
interface OfThread {
  threadId: string;
}
interface OfRun {
  runId: string;
}

export type RunEnd = Pick<RunRow, (typeof endColumns)[number]>;

interface PageOfRuns {
  userId: string | null;
  status: RunStatus | null;
  limit: number;
  offset: number;
}

export const runOfId = new Prepared((db: Db, { runId }: OfRun) =>
  db.selectFrom('runs').selectAll().where('run_id', '=', runId),
);

export const inputOfRun = new Prepared((db: Db, { runId }: OfRun) =>
  db.selectFrom('run_inputs').select('kwargs').where('run_id', '=', runId),
);

/** In the order of admission. */
export const openRunsOf = new Prepared((db: Db, { threadId }: OfThread) =>
  db
    .selectFrom('runs')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('ended_at', 'is', null)
    .orderBy('admission'),
);

export const anyOpenRunOf = new Prepared((db: Db, { threadId }: OfThread) =>
  db
    .selectFrom('runs')
    .select('run_id')
    .where('thread_id', '=', threadId)
    .where('ended_at', 'is', null)
    .limit(1),
);

export const newestRunOf = new Prepared((db: Db, { threadId }: OfThread) =>
  db
    .selectFrom('runs')
    .select(['run_id', 'admission'])
    .where('thread_id', '=', threadId)
    .orderBy('admission', 'desc')
    .limit(1),
);

/** Newest first. A user or a status that is null leaves that condition out. */
export const pageOfRuns = new Prepared(
  (db: Db, { threadId, userId, status, limit, offset }: OfThread & PageOfRuns) =>
    db
      .selectFrom('runs')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where('user_id', '=', ({ fn, val, ref }) => fn.coalesce(val(userId), ref('user_id')))
      .where('status', '=', ({ fn, val, ref }) => fn.coalesce(val(status), ref('status')))
      .orderBy('admission', 'desc')
      .limit(limit)
      .offset(offset),
);

/** Searches backwards for the latest success, past runs that failed. */
export const latestSuccessOf = new Prepared((db: Db, { threadId, userId }: OfThread & { userId: string }) =>
  db
    .selectFrom('runs')
    .select('run_id')
    .where('thread_id', '=', threadId)
    .where('user_id', '=', userId)
    .where('status', '=', 'success')
    .orderBy('admission', 'desc')
    .limit(1),
);

export const newRunInput = new Prepared((db: Db, { runId, kwargs }: OfRun & { kwargs: string }) =>
  db.insertInto('run_inputs').values({ run_id: runId, kwargs }),
);

export const newRun = new Prepared((db: Db, row: RunRow) => db.insertInto('runs').values(row));

/**
 * A run that is at work holds up all others of its thread; one that waits holds up those that were admitted after it, unless it
 * is not due yet. `holdsUp` in `run.ts` says the same to people who ask.
 */
export function isNotHeldUp(at: string) {
  return ({ not, exists, selectFrom }: ExpressionBuilder<ConversationTables, 'runs'>) =>
    not(
      exists(
        selectFrom('runs as other')
          .select('other.run_id')
          .whereRef('other.thread_id', '=', 'runs.thread_id')
          .whereRef('other.run_id', '!=', 'runs.run_id')
          .where('other.ended_at', 'is', null)
          .where((either) =>
            either.or([
              either('other.status', '=', 'running'),
              either('other.admission', '<', either.ref('runs.admission')).and(
                either.or([either('other.run_at', 'is', null), either('other.run_at', '<=', at)]),
              ),
            ]),
          ),
      ),
    );
}

/**
 * The claim itself checks that runs of a thread are worked on first in, first out. A run that is not due yet does not hold up
 * others; a run that is at work holds up all others of its thread.
 */
export const claimedRun = new Prepared(
  (db: Db, { runId, workerId, at }: OfRun & { workerId: string; at: string }) =>
    db
      .updateTable('runs')
      .set({
        status: 'running',
        worker_id: workerId,
        attempt: sql<number>`attempt + 1`,
        started_at: sql<string>`coalesce(started_at, ${at})`,
        updated_at: at,
      })
      .where('run_id', '=', runId)
      .where('ended_at', 'is', null)
      .where('worker_id', 'is', null)
      .where((either) => either.or([either('run_at', 'is', null), either('run_at', '<=', at)]))
      .where(isNotHeldUp(at))
      .returningAll(),
);

interface Claimed extends OfRun {
  workerId: string;
  attempt: number;
}

export const heldClaim = new Prepared((db: Db, { runId, workerId, attempt }: Claimed) =>
  db
    .selectFrom('runs')
    .select('run_id')
    .where('run_id', '=', runId)
    .where('worker_id', '=', workerId)
    .where('attempt', '=', attempt)
    .where('ended_at', 'is', null),
);

/** For a run under a claim. */
export const endedRun = new Prepared((db: Db, end: RunEnd & Claimed) =>
  endOf(db, end).where('worker_id', '=', end.workerId).where('attempt', '=', end.attempt).returningAll(),
);

/** For a run that no process has claimed. */
export const endedWaitingRun = new Prepared((db: Db, end: RunEnd & OfRun) =>
  endOf(db, end).where('worker_id', 'is', null).returningAll(),
);

function endOf(db: Db, end: RunEnd & OfRun) {
  const columns = Object.fromEntries(endColumns.map((column) => [column, end[column]])) as RunEnd;
  return db
    .updateTable('runs')
    .set({ ...columns, worker_id: null })
    .where('run_id', '=', end.runId)
    .where('ended_at', 'is', null);
}
