import type { RunEvent } from '@switchyard/contract/conversation/run-event';
import type { Kysely, RawBuilder } from 'kysely';
import type { Coverage } from '../../agents/run-contract/event-origin.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { hasJsonEntry, isOneOf } from '../../platform/database/dialect.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { ConversationTables, RunEventRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import {
  answerTypes,
  type EventFilter,
  type EventStorage,
  isKept,
  type RunKey,
  type RunUnit,
} from './event-storage.ts';
import type { Outbox } from './outbox.ts';
import { presentEvent, type StoredEvent } from './stored-event.ts';

type Trx = WriteTransaction<ConversationTables>;

/** Keeps a statement well below the number of parameters that a database accepts. */
const rowsAtOnce = 100;

const columns = [
  'thread_id',
  'run_id',
  'user_id',
  'event_type',
  'category',
  'content',
  'metadata',
  'seq',
  'created_at',
] as const;

/** Run events in the gateway's database (`db`): committed together with what the same unit writes. */
export class RunEventStore implements EventStorage {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** The units of a run wait for each other, so that events are numbered in the order in which they happened. */
  write<Result>(run: RunKey, outbox: Outbox, unit: RunUnit<Result>): Promise<Result> {
    return outbox.inTurn(() => this.#write(run, outbox, unit));
  }

  async list(owner: Owner, filter: EventFilter): Promise<RunEvent[]> {
    const { threadId, runId, category, types, taskId, limit, beforeSeq, afterSeq } = filter;
    const scope = userScope(owner);
    let query = this.#database.read
      .selectFrom('run_events')
      .select(columns)
      .where('thread_id', '=', threadId)
      .limit(limit);
    if (scope !== null) query = query.where('user_id', '=', scope);
    if (runId !== undefined) query = query.where('run_id', '=', runId);
    if (category !== undefined) query = query.where('category', '=', category);
    if (types !== undefined) query = query.where('event_type', 'in', types);
    if (taskId !== undefined) query = query.where(this.#namesTask(taskId));
    if (beforeSeq !== undefined) query = query.where('seq', '<', beforeSeq);
    if (afterSeq !== undefined) query = query.where('seq', '>', afterSeq);
    const isForward = afterSeq !== undefined;
    const rows = await query.orderBy('seq', isForward ? 'asc' : 'desc').execute();
    return (isForward ? rows : rows.reverse()).map(presentEvent);
  }

  async lastAnswers(owner: Owner, threadId: string, runIds: readonly string[]): Promise<Map<string, number>> {
    const scope = userScope(owner);
    let query = this.#database.read
      .selectFrom('run_events')
      .select(['run_id', ({ fn }) => fn.max('seq').as('seq')])
      .where('thread_id', '=', threadId)
      .where(isOneOf(this.#database.dialect, { column: 'run_id', values: runIds }))
      .where('category', '=', 'message')
      .where('event_type', 'in', answerTypes)
      .groupBy('run_id');
    if (scope !== null) query = query.where('user_id', '=', scope);
    const rows = await query.execute();
    return new Map(rows.map((row) => [row.run_id, Number(row.seq)]));
  }

  async dropUncovered({ threadId, runId }: RunKey, coverage: Coverage): Promise<number> {
    return this.#database.write(async (trx) => {
      const rows = await trx
        .selectFrom('run_events')
        .select(['seq', 'event_type', 'origin'])
        .where('thread_id', '=', threadId)
        .where('run_id', '=', runId)
        .execute();
      const dropped = rows.filter((row) => !isKept(row, coverage)).map(({ seq }) => seq);
      for (let from = 0; from < dropped.length; from += rowsAtOnce) {
        await trx
          .deleteFrom('run_events')
          .where('thread_id', '=', threadId)
          .where('seq', 'in', dropped.slice(from, from + rowsAtOnce))
          .execute();
      }
      return dropped.length;
    });
  }

  /** A later attempt to add to the thread finds it deleted. */
  async deleteThread(trx: Trx, threadId: string): Promise<void> {
    await lockThread(trx, threadId);
    await trx.deleteFrom('run_events').where('thread_id', '=', threadId).execute();
  }

  async deleteRun(trx: Trx, { threadId, runId }: RunKey): Promise<void> {
    await trx
      .deleteFrom('run_events')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .execute();
  }

  async clearThread(): Promise<void> {
    // The unit has removed everything.
  }

  async clearRun(): Promise<void> {
    // The unit has removed everything.
  }

  #namesTask(taskId: string): RawBuilder<boolean> {
    return hasJsonEntry(this.#database.dialect, { column: 'metadata', key: 'task_id', value: taskId });
  }

  /** Takes the thread's numbers last: admitting and ending a run both lock the thread's row before its numbers. */
  async #write<Result>(run: RunKey, outbox: Outbox, unit: RunUnit<Result>): Promise<Result> {
    if (outbox.isInDoubt) await this.#database.write((trx) => settleDoubts(trx, run, outbox));
    const batch = outbox.take();
    if (batch.events.length === 0) return this.#database.write(unit);
    const { events } = batch;
    let firstSeq: number | undefined;
    try {
      return await this.#database.write(async (trx, lastly) => {
        const result = await unit(trx, lastly);
        firstSeq = await insertEvents(trx, { run, events });
        return result;
      });
    } catch (error) {
      // A unit that was whole failed at its commit, so its events may be written or not.
      if (firstSeq === undefined) batch.putBack();
      else outbox.doubt({ batch, firstSeq });
      throw error;
    }
  }
}

/** A commit whose answer was lost may have happened. Once the thread's row is free, that is decided. */
async function settleDoubts(trx: Trx, run: RunKey, outbox: Outbox): Promise<void> {
  const doubtful = outbox.takeDoubtful();
  if (doubtful.length === 0) return;
  try {
    await lockThread(trx, run.threadId);
    for (const { batch, firstSeq } of doubtful) {
      const row = await trx
        .selectFrom('run_events')
        .select('run_id')
        .where('thread_id', '=', run.threadId)
        .where('seq', '=', firstSeq)
        .executeTakeFirst();
      if (row?.run_id !== run.runId) batch.putBack();
    }
  } catch (error) {
    for (const each of doubtful) outbox.doubt(each);
    throw error;
  }
}

/** Waits for a unit that is adding to the thread. */
async function lockThread(trx: Trx, threadId: string): Promise<void> {
  await trx
    .updateTable('thread_sequences')
    .set((update) => ({ event_seq: update.ref('event_seq') }))
    .where('thread_id', '=', threadId)
    .execute();
}

/** Returns the number of the first event. */
async function insertEvents(
  trx: Trx,
  { run, events }: { run: RunKey; events: readonly StoredEvent[] },
): Promise<number> {
  const { threadId, runId, userId } = run;
  const last = await takeSeqs(trx, threadId, events.length);
  const first = last - events.length + 1;
  const rows = events.map(
    (event, index): RunEventRow => ({
      thread_id: threadId,
      run_id: runId,
      user_id: userId,
      seq: first + index,
      ...event,
    }),
  );
  await newEvents.run(trx, rows);
  return first;
}

/**
 * Takes this many numbers and returns the last one. The thread's row stays locked until the unit ends, so no other writer takes a
 * number meanwhile.
 */
async function takeSeqs(trx: Trx, threadId: string, howMany: number): Promise<number> {
  const taken = await nextSeqs.first(trx, { threadId, howMany });
  if (!taken) throw new Error(`The numbers of thread ${threadId} could not be taken.`);
  return taken.event_seq;
}

export async function isThreadDeleted(read: Kysely<ConversationTables>, threadId: string): Promise<boolean> {
  return (await deletedThread.first(read, { threadId })) !== undefined;
}

const newEvents = new PreparedRows(
  [...columns, 'origin'],
  (db: Kysely<ConversationTables>, rows: RunEventRow[]) => db.insertInto('run_events').values(rows),
);

const nextSeqs = new Prepared(
  (db: Kysely<ConversationTables>, { threadId, howMany }: { threadId: string; howMany: number }) =>
    db
      .insertInto('thread_sequences')
      .values({ thread_id: threadId, event_seq: howMany, run_admission: 0 })
      .onConflict((conflict) =>
        conflict.column('thread_id').doUpdateSet((update) => ({
          event_seq: update('thread_sequences.event_seq', '+', update.ref('excluded.event_seq')),
        })),
      )
      .returning('event_seq'),
);

const deletedThread = new Prepared((db: Kysely<ConversationTables>, { threadId }: { threadId: string }) =>
  db.selectFrom('deleted_threads').select('thread_id').where('thread_id', '=', threadId),
);
