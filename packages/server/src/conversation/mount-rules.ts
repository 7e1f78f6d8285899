import type { Mount } from '@switchyard/contract/conversation/mounts';

/** The differences between the two mounts, whose contracts contradict each other. Everything else is the same. */
export interface MountRules {
  /** Which entries of a history carry the messages, and whether their metadata is the runtime's own. */
  historyMessages: 'newest' | 'every';
  historyMetadata: 'public' | 'full';
  /** Whether its entries hold checkpoints as objects. A page that sends one back continues from there and not from the newest state. */
  historyCheckpoints: 'ids' | 'objects';
  /** What an update of a state does with values for channels that the graph does not have. */
  unknownChannels: 'refuse' | 'ignore';
  /** The answer to creating a thread that the caller already has, when the request has no `if_exists`. */
  existingThread: 'return' | 'conflict';
  searchValues: 'title' | 'snapshot';
  searchLimit: number;
  /** Whether lists begin with pinned threads, when the request has no `pinned_first`. */
  pinnedFirst: boolean;
  /** What happens to the thread of a stateless run, when the request has no `on_completion`. */
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
