import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { isVisibleTo, threadNotFound } from './thread.ts';
import type { ThreadStore } from './thread-store.ts';

export interface AccessNeed {
  /** Rule 2: changing or destroying something requires a record; reading also works for a thread without one. */
  mustExist: boolean;
  /** The thread is created when it does not exist. */
  mayBeNew?: boolean;
}

type Known = Pick<ThreadStore, 'find' | 'isDeleted' | 'hasStates'>;

/**
 * Decides who may use a thread. This is the only place that does, for every route with a `thread_id` in its path and for every
 * thread id in a body. Another user's thread, a deleted one and one that never existed get the same answer, so that no one learns
 * which ids exist. Rule 3 is for threads without a record that have saved states.
 */
export class ThreadAccess {
  readonly #threads: Known;

  constructor(threads: Known) {
    this.#threads = threads;
  }

  /** Null is a thread without a record; it is returned only when no record is required. */
  async require(
    owner: Owner,
    threadId: string,
    { mustExist, mayBeNew = false }: AccessNeed,
  ): Promise<ThreadRow | null> {
    const thread = await this.#threads.find(threadId);
    if (thread && isVisibleTo(owner, thread)) return thread;
    if (thread || mustExist || (await this.#threads.isDeleted(threadId))) throw threadNotFound(threadId);
    if (!mayBeNew && !(await this.#threads.hasStates(threadId))) throw threadNotFound(threadId);
    return null;
  }

  /** Null when the caller has no thread of this id, whatever the reason. */
  async find(owner: Owner, threadId: string): Promise<ThreadRow | null> {
    const thread = await this.#threads.find(threadId);
    return thread && isVisibleTo(owner, thread) ? thread : null;
  }

  /** Like `require` for a thread that must exist. */
  async requireRecord(owner: Owner, threadId: string): Promise<ThreadRow> {
    const thread = await this.require(owner, threadId, { mustExist: true });
    if (!thread) throw threadNotFound(threadId);
    return thread;
  }
}
