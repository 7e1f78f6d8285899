import type { Thread } from '@switchyard/contract/conversation/thread';
import type { ServerFrameData } from '@switchyard/contract/dispatch/push';
import type { News } from './news.ts';

export type LiveThread = Pick<Thread, 'thread_id' | 'status' | 'unread' | 'run_ended_at'>;

/** Returns the thread itself when the news are not about it. */
export function changedThread<T extends LiveThread>(
  thread: T,
  { runs, unread }: Pick<News, 'runs' | 'unread'>,
): T {
  const id = thread.thread_id;
  let changed = thread;
  for (const run of runs.values()) {
    const status = run.threadId === id ? threadStatus(run) : changed.status;
    if (status !== changed.status) changed = { ...changed, status };
  }
  const mark = unread.get(id);
  if (!mark || (mark.unread === changed.unread && mark.runEndedAt === changed.run_ended_at)) return changed;
  return { ...changed, unread: mark.unread, run_ended_at: mark.runEndedAt };
}

function threadStatus({ status, waitsForHuman }: ServerFrameData<'run_status'>): Thread['status'] {
  if (status === 'pending' || status === 'running') return 'busy';
  if (waitsForHuman) return 'interrupted';
  return status === 'error' || status === 'timeout' ? 'error' : 'idle';
}
