import type { Mount } from '@switchyard/contract/conversation/mounts';

/** The differences between the two mounts, whose contracts contradict each other. Everything else is the same. */
export interface MountRules {
  /** The entries of a history that carry the messages, and the kind of their metadata. */
  historyMessages: 'newest' | 'every';
  historyMetadata: 'public' | 'full';
  /** The form of the checkpoints in its entries. A page that sends an object back continues from there. */
  historyCheckpoints: 'ids' | 'objects';
  /** The answer to an update with values for channels that the graph does not have. */
  unknownChannels: 'refuse' | 'ignore';
  /** The answer to creating a thread that the caller already has, when the request has no `if_exists`. */
  existingThread: 'return' | 'conflict';
  searchValues: 'title' | 'snapshot';
  searchLimit: number;
  /** True when lists begin with pinned threads, unless the request has a `pinned_first`. */
  pinnedFirst: boolean;
  /** The end of the thread of a stateless run, when the request has no `on_completion`. */
  statelessThread: 'keep' | 'delete';
  /** The answer to cancelling a run that has ended. */
  cancelOfEnded: 'conflict' | 'accept';
}

export const mountRules: Record<Mount, MountRules> = {
  '/api': {
    historyMessages: 'newest',
    historyMetadata: 'public',
    historyCheckpoints: 'ids',
    unknownChannels: 'refuse',
    existingThread: 'return',
    searchValues: 'title',
    searchLimit: 100,
    pinnedFirst: true,
    statelessThread: 'keep',
    cancelOfEnded: 'conflict',
  },
  '/api/langgraph': {
    historyMessages: 'every',
    historyMetadata: 'full',
    historyCheckpoints: 'objects',
    unknownChannels: 'ignore',
    existingThread: 'conflict',
    searchValues: 'snapshot',
    searchLimit: 10,
    pinnedFirst: false,
    statelessThread: 'delete',
    cancelOfEnded: 'accept',
  },
};
