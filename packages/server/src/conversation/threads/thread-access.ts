import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { isVisibleTo, threadNotFound } from './thread.ts';
import type { ThreadStore } from './thread-store.ts';

export interface AccessNeed {
  /**
   * Rule 2: changing or destroying something requires a record. Rule 3: anything else also works for a thread without one, and for an id
   * that no thread has.
   */
  mustExist: boolean;
}

/**
 * Decides who may use a thread. This is the only place that does, for every route with a `thread_id` in its path and for every
 * thread id in a body. Another user's thread and a deleted one get the same answer, so that no one learns whether it still exists.
 */
export class ThreadAccess {
  readonly #threads;

  constructor(threads: Pick<ThreadStore, 'find' | 'isDeleted' | 'hasStates'>) {
    this.#threads = threads;
  }

  /** Null is a thread without a record; it is returned only when no record is required. */
  async require(owner: Owner, threadId: string, { mustExist }: AccessNeed): Promise<ThreadRow | null> {
    const thread = await this.#threads.find(threadId);
    if (thread && isVisibleTo(owner, thread)) return thread;
    if (thread || mustExist || (await this.#threads.isDeleted(threadId))) throw threadNotFound(threadId);
    return null;
  }

  /** Like `require` for a thread that must have a record or a saved state. */
  async requireKnown(owner: Owner, threadId: string): Promise<ThreadRow | null> {
    const thread = await this.require(owner, threadId, { mustExist: false });
    if (!thread && !(await this.#threads.hasStates(threadId))) throw threadNotFound(threadId);
    return thread;
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
