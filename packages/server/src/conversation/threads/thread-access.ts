import type { Owner } from '../../lib/owner.ts';
import type { ThreadRow } from '../tables.ts';
import { isVisibleTo, threadNotFound } from './thread.ts';
import type { ThreadStore } from './thread-store.ts';

export interface AccessNeed {
  /** Rule 2: what changes or destroys something wants a record; what reads also serves a thread that has none. */
  mustExist: boolean;
  /** The thread is made where there is none. */
  mayBeNew?: boolean;
}

type Known = Pick<ThreadStore, 'find' | 'isDeleted' | 'hasStates'>;

/**
 * Whose thread is it: the one place that decides, for every route with a `thread_id` in its path and for every id of a
 * thread that arrives in a body. Somebody else's thread, a deleted one and one that never was give the same answer, so that
 * nobody learns which ids there are. Rule 3 is for threads without a record that have saved states.
 */
export class ThreadAccess {
  readonly #threads: Known;

  constructor(threads: Known) {
    this.#threads = threads;
  }

  /** Null is a thread without a record, which is allowed where it need not exist. */
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

  /** As `require` for a thread that must exist. */
  async requireRecord(owner: Owner, threadId: string): Promise<ThreadRow> {
    const thread = await this.require(owner, threadId, { mustExist: true });
    if (!thread) throw threadNotFound(threadId);
    return thread;
  }
}
