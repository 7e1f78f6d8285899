import type { ThreadState } from '@switchyard/contract/conversation/thread';

type SavedState = Pick<ThreadState, 'checkpoint_id' | 'parent_checkpoint_id' | 'metadata' | 'next'>;

/**
 * Returns the state that a run began with: the one before its first, or, for the first run of a thread, its own first, which
 * holds nothing yet. Null when the states, the newest first, do not reach back so far.
 */
export function beginningOf(states: readonly SavedState[], runId: string): string | null {
  const first = states.findLast(({ metadata }) => metadata.run_id === runId);
  if (!first?.next.includes('__start__')) return null;
  return first.parent_checkpoint_id ?? first.checkpoint_id;
}
