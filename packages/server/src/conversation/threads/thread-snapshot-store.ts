import type { Kysely } from 'kysely';
import type { StateView } from '../../agents/run-contract/agent-run.ts';
import type { BoundStatement } from '../../platform/database/bound-statement.ts';
import type { Database } from '../../platform/database/database.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import type { ConversationTables, ThreadRow, ThreadSnapshotRow } from '../tables.ts';
import { titleInState } from './thread.ts';

/** A state as lists show it, in the texts that its row holds. */
export interface SnapshotTexts
  extends Pick<ThreadSnapshotRow, 'checkpoint_id' | 'values' | 'next' | 'interrupts'> {
  title: string | null;
}

export function snapshotOf({ checkpointId, values, next, interrupts }: StateView): SnapshotTexts {
  return {
    checkpoint_id: checkpointId,
    values: JSON.stringify(values),
    next: JSON.stringify(next),
    interrupts: JSON.stringify(interrupts),
    title: titleInState(values) ?? null,
  };
}

/** The latest state of a thread, for a unit that has locked the thread's row. */
export function savedSnapshotOf(
  { thread_id, user_id }: Pick<ThreadRow, 'thread_id' | 'user_id'>,
  { snapshot, error, at }: { snapshot: SnapshotTexts; error: string | null; at: string },
): BoundStatement {
  const { title: _title, ...texts } = snapshot;
  return savedSnapshot.bind({ thread_id, user_id, ...texts, error, updated_at: at });
}

/** Every run needs this statement, so it is built once. */
const savedSnapshot = new Prepared((db: Kysely<ConversationTables>, row: ThreadSnapshotRow) => {
  const { thread_id, ...state } = row;
  return db
    .insertInto('thread_snapshots')
    .values(row)
    .onConflict((conflict) => conflict.column('thread_id').doUpdateSet(state));
});

export async function readSnapshot(
  read: Database<ConversationTables>['read'],
  threadId: string,
): Promise<ThreadSnapshotRow | undefined> {
  return snapshotOfThread.first(read, { threadId });
}

const snapshotOfThread = new Prepared((db: Kysely<ConversationTables>, { threadId }: { threadId: string }) =>
  db.selectFrom('thread_snapshots').selectAll().where('thread_id', '=', threadId),
);
