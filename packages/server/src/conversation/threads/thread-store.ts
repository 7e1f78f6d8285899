import { type Insertable, sql } from 'kysely';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { StateView } from '../agent/agent-run.ts';
import type { ConversationTables, ThreadRow, ThreadSnapshotRow, ThreadTable } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import { isVisibleTo, threadNotFound, titleOf } from './thread.ts';
import { type Metadata, mergedMetadata, metadataText, searchableEntries } from './thread-metadata.ts';
import { readSnapshot, saveSnapshot } from './thread-snapshot-store.ts';

type Trx = WriteTransaction<ConversationTables>;

export interface NewThread {
  threadId: string;
  assistantId?: string | null;
  metadata?: Metadata;
  at: string;
}

/** How a thread stands when a run in it has ended: busy still, where others wait. */
export interface Settlement {
  status: ThreadRow['status'];
  /** Absent: the state is as it was. Its title becomes the display name. */
  state?: StateView | null;
  /** Why the last run failed; shown beside the values. */
  error?: string | null;
  at: string;
}

/** Part of the unit that deletes a thread. */
export type ForgetThread = (trx: Trx, threadId: string) => Promise<void>;

/** Threads as rows. What runs does to a thread inside its own units stands below as functions over their transaction. */
export class ThreadStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** Whoever it belongs to: for the rules of access alone. */
  async find(threadId: string): Promise<ThreadRow | undefined> {
    return findThread(this.#database.read, threadId);
  }

  async isDeleted(threadId: string): Promise<boolean> {
    return isDeleted(this.#database.read, threadId);
  }

  async snapshot(threadId: string): Promise<ThreadSnapshotRow | undefined> {
    return readSnapshot(this.#database.read, threadId);
  }

  async create(owner: Owner, thread: NewThread): Promise<{ thread: ThreadRow; isNew: boolean }> {
    return this.#database.write((trx) => createIfMissing(trx, owner, thread));
  }

  /** The state changed without a run. A run that has begun meanwhile says itself how the thread stands. */
  async saveState(threadId: string, { state, at }: { state: StateView; at: string }): Promise<boolean> {
    return this.#database.write(async (trx) => {
      const present = await touch(trx, threadId, { at });
      const isBusy = present?.status === 'busy';
      const status = state.next.length > 0 ? 'interrupted' : 'idle';
      return settle(trx, threadId, { status: isBusy ? 'busy' : status, state, at });
    });
  }

  /** The thread with everything in it; only its id stays. False when it is gone already. */
  async delete(
    { thread_id, user_id }: Pick<ThreadRow, 'thread_id' | 'user_id'>,
    { alongside, at }: { alongside: readonly ForgetThread[]; at: string },
  ): Promise<boolean> {
    return this.#database.write(async (trx) => {
      for (const forget of alongside) await forget(trx, thread_id);
      if (!(await removeRows(trx, thread_id))) return false;
      await trx
        .insertInto('deleted_threads')
        .values({ thread_id, user_id, deleted_at: at, files_left: 1 })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return true;
    });
  }

  /** As if it had never been made: for a thread whose making failed. */
  async discard(threadId: string, { alongside }: { alongside: readonly ForgetThread[] }): Promise<void> {
    await this.#database.write(async (trx) => {
      for (const forget of alongside) await forget(trx, threadId);
      await removeRows(trx, threadId);
    });
  }

  async filesRemoved(threadId: string): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('deleted_threads').set({ files_left: 0 }).where('thread_id', '=', threadId).execute(),
    );
  }

  /** Deleted threads whose files may still be there. */
  async withFilesLeft(limit: number): Promise<Pick<ThreadRow, 'thread_id' | 'user_id'>[]> {
    return this.#database.read
      .selectFrom('deleted_threads')
      .select(['thread_id', 'user_id'])
      .where('files_left', '=', 1)
      .limit(limit)
      .execute();
  }

  /** Of these, the ids that have no record and are not deleted. */
  async unknownAmong(threadIds: readonly string[]): Promise<string[]> {
    const known = new Set<string>();
    for (const table of ['threads', 'deleted_threads'] as const) {
      const rows = await this.#database.read
        .selectFrom(table)
        .select('thread_id')
        .where(isOneOf(this.#database.dialect, { column: 'thread_id', values: threadIds }))
        .execute();
      for (const { thread_id } of rows) known.add(thread_id);
    }
    return threadIds.filter((threadId) => !known.has(threadId));
  }

  /** Nobody's change is lost: the row is locked before it is read. Undefined when it is gone or somebody else's. */
  async mergeMetadata(
    owner: Owner,
    threadId: string,
    { metadata, at }: { metadata: Metadata; at: string },
  ): Promise<ThreadRow | undefined> {
    return this.#database.write(async (trx) => {
      const thread = await touch(trx, threadId, { at });
      if (!thread || !isVisibleTo(owner, thread)) return undefined;
      return stampMetadata(trx, thread, metadata);
    });
  }
}

/**
 * The thread of this id, made for the owner where there was none. A foreign one and a deleted one are not found. The
 * deleted ids are read last: whoever deletes at the same time has the row until then.
 */
export async function createIfMissing(
  trx: Trx,
  owner: Owner,
  { threadId, assistantId = null, metadata = {}, at }: NewThread,
): Promise<{ thread: ThreadRow; isNew: boolean }> {
  const userId = userScope(owner);
  if (userId === null) throw new Error('A thread is made for a user. Pass { user }.');
  const row: Insertable<ThreadTable> = {
    thread_id: threadId,
    user_id: userId,
    assistant_id: assistantId,
    display_name: null,
    status: 'idle',
    metadata: metadataText(metadata),
    created_at: at,
    updated_at: at,
    state_updated_at: at,
  };
  const inserted = await trx
    .insertInto('threads')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (await isDeleted(trx, threadId)) throw threadNotFound(threadId);
  if (inserted) {
    await indexMetadata(trx, inserted, metadata);
    return { thread: inserted, isNew: true };
  }
  const existing = await findThread(trx, threadId);
  if (!existing || !isVisibleTo(owner, existing)) throw threadNotFound(threadId);
  return { thread: existing, isNew: false };
}

/** A run waits or works in it from now on. False when the thread has been deleted meanwhile. */
export async function setBusy(
  trx: Trx,
  threadId: string,
  { stamp, at }: { stamp: { graph_id: string; assistant_id: string }; at: string },
): Promise<boolean> {
  const thread = await touch(trx, threadId, { status: 'busy', at });
  if (!thread) return false;
  await stampMetadata(trx, thread, stamp);
  return true;
}

/** False when the thread has been deleted meanwhile: then nothing is written, and nothing of it comes back. */
export async function settle(
  trx: Trx,
  threadId: string,
  { status, state, error = null, at }: Settlement,
): Promise<boolean> {
  const title = state && titleOf(state.values);
  const thread = await touch(trx, threadId, {
    status,
    ...(title && { display_name: title }),
    ...(state && { state_updated_at: at }),
    at,
  });
  if (!thread) return false;
  if (state) await saveSnapshot(trx, thread, { state, error, at });
  return true;
}

/** The place of a run in its thread: first in, first out. */
export async function nextAdmission(trx: Trx, threadId: string): Promise<number> {
  const { run_admission } = await advance(trx, threadId, { events: 0, admissions: 1 });
  return run_admission;
}

/** Takes that many numbers in a row and answers the first of them. */
export async function nextEventSeqs(trx: Trx, threadId: string, count: number): Promise<number> {
  const { event_seq } = await advance(trx, threadId, { events: count, admissions: 0 });
  return event_seq - count + 1;
}

async function removeRows(trx: Trx, threadId: string): Promise<boolean> {
  const deleted = await trx.deleteFrom('threads').where('thread_id', '=', threadId).executeTakeFirst();
  if (deleted.numDeletedRows === 0n) return false;
  for (const table of ['thread_metadata', 'thread_snapshots', 'thread_sequences'] as const)
    await trx.deleteFrom(table).where('thread_id', '=', threadId).execute();
  return true;
}

async function findThread(
  read: Database<ConversationTables>['read'],
  threadId: string,
): Promise<ThreadRow | undefined> {
  return read.selectFrom('threads').selectAll().where('thread_id', '=', threadId).executeTakeFirst();
}

async function isDeleted(read: Database<ConversationTables>['read'], threadId: string): Promise<boolean> {
  const row = await read
    .selectFrom('deleted_threads')
    .select('thread_id')
    .where('thread_id', '=', threadId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Changes the row and takes its lock; the search index of its metadata is ordered by the same time. */
async function touch(
  trx: Trx,
  threadId: string,
  { at, ...changes }: Partial<Insertable<ThreadTable>> & { at: string },
): Promise<ThreadRow | undefined> {
  const thread = await trx
    .updateTable('threads')
    .set({ ...changes, updated_at: at })
    .where('thread_id', '=', threadId)
    .returningAll()
    .executeTakeFirst();
  if (!thread) return undefined;
  await trx
    .updateTable('thread_metadata')
    .set({ updated_at: at })
    .where('thread_id', '=', threadId)
    .execute();
  return thread;
}

/** The thread's row is locked by whoever calls this. */
async function stampMetadata(trx: Trx, thread: ThreadRow, stamp: Metadata): Promise<ThreadRow> {
  const metadata = mergedMetadata(thread.metadata, stamp);
  const text = metadataText(metadata);
  if (text === thread.metadata) return thread;
  await trx
    .updateTable('threads')
    .set({ metadata: text })
    .where('thread_id', '=', thread.thread_id)
    .execute();
  await trx.deleteFrom('thread_metadata').where('thread_id', '=', thread.thread_id).execute();
  await indexMetadata(trx, thread, metadata);
  return { ...thread, metadata: text };
}

async function indexMetadata(trx: Trx, thread: ThreadRow, metadata: Metadata): Promise<void> {
  const { thread_id, user_id, updated_at } = thread;
  const rows = searchableEntries(metadata).map((entry) => ({ thread_id, user_id, ...entry, updated_at }));
  if (rows.length > 0) await trx.insertInto('thread_metadata').values(rows).execute();
}

/** Counters of a thread, also of one without a record. */
async function advance(
  trx: Trx,
  threadId: string,
  { events, admissions }: { events: number; admissions: number },
): Promise<{ event_seq: number; run_admission: number }> {
  return trx
    .insertInto('thread_sequences')
    .values({ thread_id: threadId, event_seq: events, run_admission: admissions })
    .onConflict((conflict) =>
      conflict.column('thread_id').doUpdateSet({
        event_seq: sql<number>`thread_sequences.event_seq + ${events}`,
        run_admission: sql<number>`thread_sequences.run_admission + ${admissions}`,
      }),
    )
    .returning(['event_seq', 'run_admission'])
    .executeTakeFirstOrThrow();
}
