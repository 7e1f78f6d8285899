import { ThreadCheckpoints } from '../../agents/checkpoints/thread-checkpoint-store.ts';
import type { StateView } from '../../agents/run-contract/agent-run.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { Lastly } from '../../platform/database/unit.ts';
import { setTtl, type ThreadTtl } from '../expiry/thread-ttl-store.ts';
import type { ConversationTables, ThreadRow, ThreadSnapshotRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';
import { isVisibleTo, threadNotFound } from './thread.ts';
import {
  isPinning,
  type Metadata,
  mergedMetadata,
  metadataText,
  pinnedIn,
  searchableEntries,
} from './thread-metadata.ts';
import {
  admission,
  busyThread,
  deletedThread,
  foundThread,
  freshThread,
  metadataEntries,
  metadataOfThread,
  metadataTime,
  newThread,
  noMetadataEntry,
  settledThread,
} from './thread-row-store.ts';
import { readSnapshot, type SnapshotTexts, savedSnapshotOf, snapshotOf } from './thread-snapshot-store.ts';

type Trx = WriteTransaction<ConversationTables>;

export interface NewThread {
  threadId: string;
  /** True when the gateway has just made this id, so that no thread has or had it. */
  isNewId?: boolean;
  assistantId?: string | null;
  metadata?: Metadata;
  ttl?: ThreadTtl | null;
  at: string;
}

/** The state of a thread after a run in it has ended: still busy when other runs wait. */
export interface Settlement {
  status: ThreadRow['status'];
  /** Absent when the state is unchanged. Its title becomes the display name. */
  snapshot?: SnapshotTexts;
  /** The user gave the title of this state. */
  isTitleByHand?: boolean;
  /** The display name of a thread that has none and whose state has no title. */
  fallbackTitle?: string | null;
  /** The reason for which the last run failed; shown beside the values. */
  error?: string | null;
  /** True when a run has ended, which its owner has not seen yet. */
  hasRunEnded?: boolean;
  at: string;
}

/** Part of the unit that deletes a thread. */
export type ForgetThread = (trx: Trx, threadId: string) => Promise<void>;

/** Threads as rows. Below the class are functions for runs, which change a thread inside their own transactions. */
export class ThreadStore {
  readonly #database: Database<ConversationTables>;
  readonly #checkpoints: ThreadCheckpoints;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
    this.#checkpoints = new ThreadCheckpoints(database.withTables<unknown>());
  }

  /** Returns the thread of any user: only for the rules of access. */
  async find(threadId: string): Promise<ThreadRow | undefined> {
    return foundThread.first(this.#database.read, { threadId });
  }

  async isDeleted(threadId: string): Promise<boolean> {
    return (await deletedThread.first(this.#database.read, { threadId })) !== undefined;
  }

  /** Returns whether the agent runtime has saved a state of the thread, with a record or without. */
  async hasStates(threadId: string): Promise<boolean> {
    return this.#checkpoints.exist(threadId);
  }

  async snapshot(threadId: string): Promise<ThreadSnapshotRow | undefined> {
    return readSnapshot(this.#database.read, threadId);
  }

  async create(owner: Owner, thread: NewThread): Promise<{ thread: ThreadRow; isNew: boolean }> {
    return this.#database.write((trx, lastly) => createIfMissing(trx, owner, { ...thread, lastly }));
  }

  /**
   * Records that the state changed without a run. When a run has begun meanwhile, the run sets the thread's status. A run that was
   * stopped half-way has left a next step; only a question makes such a thread wait.
   */
  async saveState(
    threadId: string,
    { state, isTitleByHand = false, at }: { state: StateView; isTitleByHand?: boolean; at: string },
  ): Promise<boolean> {
    return this.#database.write(async (trx, lastly) => {
      const present = await lockThread(trx, threadId);
      const hasQuestion = Object.values(state.interrupts).some((asked) => asked.length > 0);
      const isWaiting = hasQuestion || (state.next.length > 0 && !(await wasStopped(trx, threadId)));
      const atRest = isWaiting ? 'interrupted' : 'idle';
      const status = present?.status === 'busy' ? 'busy' : atRest;
      return settle(trx, threadId, { status, snapshot: snapshotOf(state), isTitleByHand, at, lastly });
    });
  }

  /** Deletes the thread with everything in it; only its id stays. Returns false when it is deleted already. */
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

  /** Removes a thread whose creation failed, as if it had never existed. */
  async discard(threadId: string, { alongside }: { alongside: readonly ForgetThread[] }): Promise<void> {
    await this.#database.write(async (trx) => {
      for (const forget of alongside) await forget(trx, threadId);
      await removeRows(trx, threadId);
    });
  }

  /** From now on no state changes the title of the thread. */
  async giveTitle(threadId: string, title: string): Promise<void> {
    const byHand = { display_name: title, title_by_hand: 1 };
    await this.#database.write((trx) =>
      trx.updateTable('threads').set(byHand).where('thread_id', '=', threadId).execute(),
    );
  }

  async filesRemoved(threadId: string): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('deleted_threads').set({ files_left: 0 }).where('thread_id', '=', threadId).execute(),
    );
  }

  /** Deleted threads whose files may still exist. */
  async withFilesLeft(limit: number): Promise<Pick<ThreadRow, 'thread_id' | 'user_id'>[]> {
    return this.#database.read
      .selectFrom('deleted_threads')
      .select(['thread_id', 'user_id'])
      .where('files_left', '=', 1)
      .limit(limit)
      .execute();
  }

  /** Returns ids of threads that a user owns. */
  async idsOf(userId: string, limit: number): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('threads')
      .select('thread_id')
      .where('user_id', '=', userId)
      .limit(limit)
      .execute();
    return rows.map(({ thread_id: id }) => id);
  }

  /** Returns threads of a user whose metadata name this assistant. */
  async ofAssistant(owner: Owner, assistantId: string, limit: number): Promise<ThreadRow[]> {
    return this.#database.read
      .selectFrom('threads')
      .innerJoin('thread_metadata', 'thread_metadata.thread_id', 'threads.thread_id')
      .selectAll('threads')
      .where('thread_metadata.user_id', '=', userScope(owner))
      .where('thread_metadata.key', '=', 'assistant_id')
      .where('thread_metadata.value', '=', JSON.stringify(assistantId))
      .limit(limit)
      .execute();
  }

  /** Returns the ids among these that have no record and are not deleted. */
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

  /**
   * Loses no concurrent change, because the row is locked before it is read. Undefined when the thread is deleted or belongs to
   * another user.
   */
  async mergeMetadata(
    owner: Owner,
    threadId: string,
    { metadata, ttl = null, at }: { metadata: Metadata; ttl?: ThreadTtl | null; at: string },
  ): Promise<ThreadRow | undefined> {
    const userId = userScope(owner);
    return this.#database.write(async (trx, lastly) => {
      const thread = await trx
        .updateTable('threads')
        .set((update) => ({ updated_at: isPinning(metadata) ? update.ref('updated_at') : at }))
        .where('thread_id', '=', threadId)
        .$if(userId !== null, (query) =>
          query.where(({ eb, or }) => or([eb('user_id', '=', userId), eb('user_id', 'is', null)])),
        )
        .returningAll()
        .executeTakeFirst();
      if (!thread) return undefined;
      await moveInIndex(trx, thread);
      if (ttl) await setTtl(trx, threadId, { ttl, at });
      return stampMetadata(trx, thread, { stamp: metadata, lastly });
    });
  }
}

/**
 * Returns the thread of this id, and creates it for the owner when there is none. Throws for a thread of another user and for a
 * deleted one. The deleted ids are read last: a concurrent deletion holds the lock on the row until it has committed.
 */
export async function createIfMissing(
  trx: Trx,
  owner: Owner,
  {
    threadId,
    isNewId = false,
    assistantId = null,
    metadata = {},
    ttl = null,
    at,
    lastly,
  }: NewThread & { lastly: Lastly },
): Promise<{ thread: ThreadRow; isNew: boolean }> {
  const userId = userScope(owner);
  if (userId === null) throw new Error('A thread is made for a user. Pass { user }.');
  const row = {
    thread_id: threadId,
    user_id: userId,
    assistant_id: assistantId,
    display_name: null,
    status: 'idle' as const,
    metadata: metadataText(metadata),
    created_at: at,
    updated_at: at,
    state_updated_at: at,
    run_ended_at: null,
    unread: 0,
    pinned: pinnedIn(metadata),
  };
  const made = { ...row, title_by_hand: 0 };
  if (isNewId) {
    lastly(freshThread.bind(row));
    indexEntries(made, { metadata, lastly });
    if (ttl) await setTtl(trx, threadId, { ttl, at });
    return { thread: made, isNew: true };
  }
  const [inserted, deleted] = await Promise.all([
    newThread.first(trx, row),
    deletedThread.first(trx, { threadId }),
  ]);
  if (deleted) throw threadNotFound(threadId);
  if (inserted) {
    indexEntries(inserted, { metadata, lastly });
    if (ttl) await setTtl(trx, threadId, { ttl, at });
    return { thread: inserted, isNew: true };
  }
  const existing = await foundThread.first(trx, { threadId });
  if (!existing || !isVisibleTo(owner, existing)) throw threadNotFound(threadId);
  return { thread: existing, isNew: false };
}

/**
 * Marks the thread as one in which a run waits or works, and as one that goes on with this assistant. Returns false when the thread
 * has been deleted meanwhile.
 */
export async function setBusy(
  trx: Trx,
  threadId: string,
  {
    assistant,
    stamp,
    knownMetadata = null,
    at,
    lastly,
  }: {
    assistant: string;
    stamp: { graph_id: string; assistant_id: string };
    /** As the caller has read them; left out for a thread that it has not read. */
    knownMetadata?: string | null;
    at: string;
    lastly: Lastly;
  },
): Promise<boolean> {
  const change = changeOf(knownMetadata, stamp);
  const thread = await busyThread.first(trx, { threadId, assistant, at, ...change });
  if (!thread) return false;
  // Before the entries, which are written last: one statement cannot change a row twice.
  if (change.known === null || thread.metadata !== change.stamped) {
    await moveInIndex(trx, thread);
    await stampMetadata(trx, thread, { stamp, lastly });
  } else {
    await moveInIndex(trx, { ...thread, metadata: change.known });
    indexEntries(thread, { metadata: stamp, lastly });
  }
  return true;
}

/** Returns nothing to change when the metadata are not known, or have the stamp already. */
function changeOf(known: string | null, stamp: Metadata): { known: string | null; stamped: string | null } {
  const stamped = known && metadataText(mergedMetadata(known, stamp));
  return stamped === known ? { known: null, stamped: null } : { known, stamped };
}

/** Returns false when the thread has been deleted meanwhile. Nothing is written then, so nothing of it comes back. */
export async function settle(
  trx: Trx,
  threadId: string,
  {
    status,
    snapshot,
    error = null,
    hasRunEnded = false,
    lastly,
    ...settlement
  }: Settlement & { lastly: Lastly },
): Promise<boolean> {
  const { isTitleByHand = false, fallbackTitle = null, at } = settlement;
  const title = snapshot?.title ?? null;
  const stateAt = snapshot ? at : null;
  const thread = await settledThread.first(trx, {
    threadId,
    status,
    title,
    isByHand: isTitleByHand && title !== null ? 1 : 0,
    fallbackTitle,
    stateAt,
    runEndedAt: hasRunEnded ? at : null,
    hasRunEnded: hasRunEnded ? 1 : 0,
    at,
  });
  if (!thread) return false;
  if (snapshot) lastly(savedSnapshotOf(thread, { snapshot, error, at }));
  await moveInIndex(trx, thread);
  return true;
}

/** The place of a run in its thread: first in, first out. */
export async function nextAdmission(trx: Trx, threadId: string): Promise<number> {
  const row = await admission.first(trx, { threadId });
  if (!row) throw new Error(`Thread ${threadId} gave no place to a run.`);
  return row.run_admission;
}

async function lockThread(trx: Trx, threadId: string): Promise<ThreadRow | undefined> {
  return trx
    .updateTable('threads')
    .set((update) => ({ status: update.ref('status') }))
    .where('thread_id', '=', threadId)
    .returningAll()
    .executeTakeFirst();
}

async function removeRows(trx: Trx, threadId: string): Promise<boolean> {
  const deleted = await trx.deleteFrom('threads').where('thread_id', '=', threadId).executeTakeFirst();
  if (deleted.numDeletedRows === 0n) return false;
  for (const table of ['thread_metadata', 'thread_snapshots', 'thread_sequences', 'thread_ttls'] as const)
    await trx.deleteFrom(table).where('thread_id', '=', threadId).execute();
  return true;
}

/** The caller has locked the thread's row, here and in the functions below. */
async function stampMetadata(
  trx: Trx,
  thread: ThreadRow,
  { stamp, lastly }: { stamp: Metadata; lastly: Lastly },
): Promise<ThreadRow> {
  const merged = mergedMetadata(thread.metadata, stamp);
  const metadata = metadataText(merged);
  if (metadata === thread.metadata) return thread;
  const pinned = pinnedIn(merged);
  indexEntries(thread, { metadata: stamp, lastly });
  await metadataOfThread.run(trx, { threadId: thread.thread_id, metadata, pinned });
  return { ...thread, metadata, pinned };
}

/** A key that had a searchable value may now have one that is not searchable. */
function indexEntries(thread: ThreadRow, { metadata, lastly }: { metadata: Metadata; lastly: Lastly }): void {
  const { thread_id, user_id, updated_at } = thread;
  const searchable = searchableEntries(metadata);
  const keys = new Set(searchable.map(({ key }) => key));
  lastly(...metadataEntries.bind(searchable.map((entry) => ({ thread_id, user_id, ...entry, updated_at }))));
  for (const key of Object.keys(metadata))
    if (!keys.has(key)) lastly(noMetadataEntry.bind({ threadId: thread_id, key }));
}

async function moveInIndex(trx: Trx, { thread_id, metadata, updated_at }: ThreadRow): Promise<void> {
  if (metadata !== '{}') await metadataTime.run(trx, { threadId: thread_id, at: updated_at });
}

/** Returns whether the last run that has ended was stopped. */
async function wasStopped(trx: Trx, threadId: string): Promise<boolean> {
  const last = await trx
    .selectFrom('runs')
    .select('status')
    .where('thread_id', '=', threadId)
    .where('ended_at', 'is not', null)
    .orderBy('admission', 'desc')
    .executeTakeFirst();
  return last?.status === 'interrupted';
}
