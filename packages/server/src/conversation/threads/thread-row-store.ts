import { type Insertable, type Kysely, sql } from 'kysely';
import { Prepared } from '../../platform/database/prepared.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { ConversationTables, ThreadMetadataTable, ThreadRow, ThreadTable } from '../tables.ts';

/** The statements that every run needs, built once. The store of threads says what they mean together. */

type Db = Kysely<ConversationTables>;
interface Named {
  threadId: string;
}

export const foundThread = new Prepared((db: Db, { threadId }: Named) =>
  db.selectFrom('threads').selectAll().where('thread_id', '=', threadId),
);

export const deletedThread = new Prepared((db: Db, { threadId }: Named) =>
  db.selectFrom('deleted_threads').select('thread_id').where('thread_id', '=', threadId),
);

/** Returns no row when a thread with this id exists already. */
export const newThread = new Prepared((db: Db, row: Insertable<ThreadTable>) =>
  insertOf(db, row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll(),
);

/** For an id that was just made. */
export const freshThread = new Prepared((db: Db, row: Insertable<ThreadTable>) => insertOf(db, row));

function insertOf(db: Db, row: Insertable<ThreadTable>) {
  return db.insertInto('threads').values({
    thread_id: row.thread_id,
    user_id: row.user_id,
    assistant_id: row.assistant_id,
    display_name: row.display_name,
    status: row.status,
    metadata: row.metadata,
    created_at: row.created_at,
    updated_at: row.updated_at,
    state_updated_at: row.state_updated_at,
    run_ended_at: row.run_ended_at,
    unread: row.unread,
    pinned: row.pinned ?? '0',
  });
}

/** The metadata change when they are still as the caller knows them. */
export const busyThread = new Prepared(
  (db: Db, busy: Named & { assistant: string; known: string | null; stamped: string | null; at: string }) =>
    db
      .updateTable('threads')
      .set({
        status: 'busy',
        assistant_id: busy.assistant,
        metadata: sql<string>`case when metadata = ${busy.known} then ${busy.stamped} else metadata end`,
        updated_at: busy.at,
      })
      .where('thread_id', '=', busy.threadId)
      .returningAll(),
);

/**
 * Without a title, a time of the state or an end of a run these columns keep their values. A title that the user gave stays until the
 * user gives another one. The fallback is for a thread that has no title at all.
 */
export const settledThread = new Prepared(
  (
    db: Db,
    settled: Named & {
      status: ThreadRow['status'];
      title: string | null;
      isByHand: number;
      fallbackTitle: string | null;
      stateAt: string | null;
      runEndedAt: string | null;
      hasRunEnded: number;
      at: string;
    },
  ) =>
    db
      .updateTable('threads')
      .set({
        status: settled.status,
        display_name: sql<string>`case when title_by_hand = 1 and ${settled.isByHand} = 0 then display_name
          else coalesce(${settled.title}, display_name, ${settled.fallbackTitle}) end`,
        title_by_hand: sql<number>`case when ${settled.isByHand} = 1 then 1 else title_by_hand end`,
        state_updated_at: sql<string>`coalesce(${settled.stateAt}, state_updated_at)`,
        run_ended_at: sql<string>`coalesce(${settled.runEndedAt}, run_ended_at)`,
        unread: sql<number>`case when ${settled.hasRunEnded} = 1 then 1 else unread end`,
        updated_at: settled.at,
      })
      .where('thread_id', '=', settled.threadId)
      .returningAll(),
);

export const metadataOfThread = new Prepared(
  (db: Db, { threadId, metadata, pinned }: Named & { metadata: string; pinned: string }) =>
    db.updateTable('threads').set({ metadata, pinned }).where('thread_id', '=', threadId),
);

/** The index of metadata is ordered by the time of the thread. */
export const metadataTime = new Prepared((db: Db, { threadId, at }: Named & { at: string }) =>
  db.updateTable('thread_metadata').set({ updated_at: at }).where('thread_id', '=', threadId),
);

export const metadataEntries = new PreparedRows(
  ['thread_id', 'user_id', 'key', 'value', 'updated_at'],
  (db: Db, entries: ThreadMetadataTable[]) =>
    db
      .insertInto('thread_metadata')
      .values(entries)
      .onConflict((conflict) =>
        conflict.columns(['thread_id', 'key']).doUpdateSet((update) => ({
          value: update.ref('excluded.value'),
          updated_at: update.ref('excluded.updated_at'),
        })),
      ),
);

export const noMetadataEntry = new Prepared((db: Db, { threadId, key }: Named & { key: string }) =>
  db.deleteFrom('thread_metadata').where('thread_id', '=', threadId).where('key', '=', key),
);

/** Also counts for threads without a record. */
export const admission = new Prepared((db: Db, { threadId }: Named) =>
  db
    .insertInto('thread_sequences')
    .values({ thread_id: threadId, event_seq: 0, run_admission: 1 })
    .onConflict((conflict) =>
      conflict
        .column('thread_id')
        .doUpdateSet({ run_admission: sql<number>`thread_sequences.run_admission + 1` }),
    )
    .returning('run_admission'),
);
