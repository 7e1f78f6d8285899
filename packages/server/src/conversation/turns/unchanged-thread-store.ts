import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';
import { type UnitPart, unitPart } from '../../platform/database/unit-part.ts';
import { hasOpenRun, lockRuns } from '../runs/records/run-store.ts';
import type { ConversationTables, ThreadRow } from '../tables.ts';
import { threadNotFound } from '../threads/thread.ts';
import { foundThread } from '../threads/thread-row-store.ts';

/**
 * Part of a unit: throws when a run of the thread is open, or its state is not the one that was read with this row. No run can be
 * admitted before the unit has ended.
 */
export function unchangedThread(
  { thread_id: threadId, state_updated_at: readAt }: Pick<ThreadRow, 'thread_id' | 'state_updated_at'>,
  inFlight: AppError,
): UnitPart {
  return unitPart<ConversationTables>(async (trx) => {
    await lockRuns(trx, threadId);
    if (await hasOpenRun(trx, threadId)) throw inFlight;
    const thread = await foundThread.first(trx, { threadId });
    if (!thread) throw threadNotFound(threadId);
    if (thread.state_updated_at === readAt) return;
    throw new AppError('thread_busy', { message: say('thread_changed') });
  });
}
