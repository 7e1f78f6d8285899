import { mounts } from '@switchyard/contract/conversation/mounts';
import { leadAgentName } from '../../agents/agent-ids.ts';
import type { Agents } from '../../agents/loading/agents.ts';
import type { Routes } from '../../http/app.ts';
import { AppError } from '../../lib/app-error.ts';
import { newTimeOrderedId } from '../../lib/ids.ts';
import type { Owner } from '../../lib/owner.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { ConversationParts } from '../conversation-parts.ts';
import { ThreadExpiry } from '../expiry/thread-expiry.ts';
import { ThreadRetention } from '../expiry/thread-retention.ts';
import { type RetentionAccounts, threadRetentionRoutes } from '../expiry/thread-retention-routes.ts';
import { ThreadRetentionStore } from '../expiry/thread-retention-store.ts';
import { ThreadTtlStore } from '../expiry/thread-ttl-store.ts';
import type { RemovedThread } from '../removals.ts';
import type { ConversationTables } from '../tables.ts';
import { readThreadRoutes } from './read-thread-routes.ts';
import { ReadThreads } from './read-threads.ts';
import type { GraphFor } from './saved-states.ts';
import type { ThreadAccess } from './thread-access.ts';
import { ThreadLists } from './thread-lists.ts';
import { ThreadRemoval } from './thread-removal.ts';
import { threadRoutes } from './thread-routes.ts';
import { ThreadSearch } from './thread-search.ts';
import { ThreadSearchStore } from './thread-search-store.ts';
import { threadStateRoutes } from './thread-state-routes.ts';
import { ThreadStates } from './thread-states.ts';
import type { ThreadStore } from './thread-store.ts';
import { Threads } from './threads.ts';
import { UnreadThreadStore } from './unread-thread-store.ts';
import { UserRemoval } from './user-removal.ts';

/** The parts of this room that other rooms use. */
export interface ThreadsRoom {
  threads: Threads;
  removal: ThreadRemoval;
  threadStates: ThreadStates;
  /** Deletes a thread as its user would. */
  deleteThread: (owner: Owner, threadId: string) => Promise<void>;
  routes: Routes[];
}

export function createThreads({
  database,
  removals,
  jobs,
  runtime,
  access,
  threadStore: store,
  requireNoOpenRun,
  home,
  tell,
  audit,
  findUser,
  emailsOf,
  retentionMs,
  clock,
  log,
}: Pick<
  ConversationParts,
  'database' | 'removals' | 'jobs' | 'runtime' | 'home' | 'tell' | 'audit' | 'clock' | 'log'
> &
  RetentionAccounts & {
    access: ThreadAccess;
    threadStore: ThreadStore;
    /** Part of a unit: throws `thread_busy` when a run of the thread is open. */
    requireNoOpenRun: (trx: WriteTransaction<ConversationTables>, threadId: string) => Promise<void>;
    /** Null when threads stay. */
    retentionMs: number | null;
  }): ThreadsRoom {
  const { states, checkpoints } = runtime;
  const graphFor = graphsOf(runtime.agents);
  const removal = new ThreadRemoval({ store, removals, clock, log });
  const threads = new Threads({
    access,
    store,
    removal,
    checkpoints,
    states,
    requireNoOpenRun,
    graphFor,
    clock,
    newId: newTimeOrderedId,
  });
  const deleteThread = async (owner: Owner, threadId: string): Promise<void> => {
    await threads.delete(owner, threadId);
  };
  const remove = (thread: RemovedThread, confirm: UnitPart) => removal.removeQuiet(thread, confirm);
  const retention = new ThreadRetention({
    store: new ThreadRetentionStore(database),
    remove,
    requireNoOpenRun,
    audit,
    keptMs: retentionMs,
    clock,
    log,
  });
  retention.register(jobs);
  new ThreadExpiry({
    store: new ThreadTtlStore(database),
    remove,
    keepLatest: (threadId, confirm) => states.prune(threadId, { keepLatest: 1 }, confirm),
    requireNoOpenRun,
    clock,
    log,
  }).register(jobs);
  new UserRemoval({ database, threads: store, removals, deleteThread, home }).register(jobs);
  const lists = new ThreadLists(new ThreadSearch(new ThreadSearchStore(database)));
  const threadStates = new ThreadStates({ store, access, states, graphFor, clock });
  const readThreads = new ReadThreads({ store: new UnreadThreadStore(database), access, tell });
  return {
    threads,
    removal,
    threadStates,
    deleteThread,
    routes: [
      ...mounts.map((mount) => threadRoutes(mount, { threads, lists })),
      ...mounts.map((mount) => threadStateRoutes(mount, { states: threadStates })),
      readThreadRoutes({ readThreads }),
      threadRetentionRoutes({ retention, findUser, emailsOf }),
    ],
  };
}

function graphsOf(agents: Pick<Agents, 'resolve'>): GraphFor {
  return async (owner, assistantId) => {
    try {
      return (await agents.resolve(owner, assistantId ?? leadAgentName)).graphId;
    } catch (error) {
      if (error instanceof AppError && error.code === 'assistant_not_found') return null;
      throw error;
    }
  };
}
