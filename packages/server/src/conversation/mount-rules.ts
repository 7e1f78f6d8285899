import type { Mount } from '@switchyard/contract/conversation/mounts';

/** Where the two mounts differ, because both contracts cannot be true at once. Everything else is the same. */
export interface MountRules {
  /** Which entries of a history carry the messages; and whether their metadata is the runtime's own. */
  historyMessages: 'newest' | 'every';
  historyMetadata: 'public' | 'full';
  /** What creating a thread answers when the caller has it already and does not say `if_exists`. */
  existingThread: 'return' | 'conflict';
  searchValues: 'title' | 'snapshot';
  searchLimit: number;
  /** What becomes of the thread of a stateless run that does not say `on_completion`. */
  statelessThread: 'keep' | 'delete';
}

export const mountRules: Record<Mount, MountRules> = {
  '/api': {
    historyMessages: 'newest',
    historyMetadata: 'public',
    existingThread: 'return',
    searchValues: 'title',
    searchLimit: 100,
    statelessThread: 'keep',
  },
  '/api/langgraph': {
    historyMessages: 'every',
    historyMetadata: 'full',
    existingThread: 'conflict',
    searchValues: 'snapshot',
    searchLimit: 10,
    statelessThread: 'delete',
  },
};
