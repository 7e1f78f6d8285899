import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { isVisibleTo, threadNotFound } from './thread.ts';
import type { ThreadStore } from './thread-store.ts';

export interface AccessNeed {
  /** Rule 2: what changes or destroys something wants a record; what reads also serves a thread that has none. */
  mustExist: boolean;
}

/**
 * Whose thread is it: the one place that decides, for every route with a `thread_id` in its path and for every id of a
 * thread that arrives in a body. Somebody else's thread, a deleted one and (where it must exist) a missing one give the
 * same answer.
 */
export class ThreadAccess {
  readonly #threads: Pick<ThreadStore, 'find' | 'isDeleted'>;

  constructor(threads: Pick<ThreadStore, 'find' | 'isDeleted'>) {
    this.#threads = threads;
  }

  /** Null is a thread without a record, which is allowed where it need not exist. */
  async require(owner: Owner, threadId: string, { mustExist }: AccessNeed): Promise<ThreadRow | null> {
    const thread = await this.#threads.find(threadId);
    if (thread && isVisibleTo(owner, thread)) return thread;
    if (thread || mustExist || (await this.#threads.isDeleted(threadId))) throw threadNotFound(threadId);
    return null;
  }

  /** As `require` for a thread that must exist. */
  async requireRecord(owner: Owner, threadId: string): Promise<ThreadRow> {
    const thread = await this.require(owner, threadId, { mustExist: true });
    if (!thread) throw threadNotFound(threadId);
    return thread;
  }
}
