import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { StateView } from '../agent/agent-run.ts';
import type { ConversationTables, ThreadRow, ThreadSnapshotRow } from '../tables.ts';

/** The latest state as lists show it. Whoever writes it has the thread's row locked. */
export async function saveSnapshot(
  trx: WriteTransaction<ConversationTables>,
  { thread_id, user_id }: Pick<ThreadRow, 'thread_id' | 'user_id'>,
  { state, error, at }: { state: StateView; error: string | null; at: string },
): Promise<void> {
  const row = {
    user_id,
    checkpoint_id: state.checkpointId,
    values: JSON.stringify(state.values),
    next: JSON.stringify(state.next),
    interrupts: JSON.stringify(state.interrupts),
    error,
    updated_at: at,
  };
  await trx
    .insertInto('thread_snapshots')
    .values({ thread_id, ...row })
    .onConflict((conflict) => conflict.column('thread_id').doUpdateSet(row))
    .execute();
}

export async function readSnapshot(
  read: Database<ConversationTables>['read'],
  threadId: string,
): Promise<ThreadSnapshotRow | undefined> {
  return read.selectFrom('thread_snapshots').selectAll().where('thread_id', '=', threadId).executeTakeFirst();
}
