import type { WriteTransaction } from '../platform/database/database.ts';
import type { ThreadRow } from './tables.ts';

export type RemovedThread = Pick<ThreadRow, 'thread_id' | 'user_id'>;

/** The part of one feature in the deletion of a thread or an account. */
export interface RemovalPart<Tables = unknown> {
  /** Cancels open work in the thread and waits for its end, up to a limit. */
  stopWork?: (threadId: string) => Promise<'stopped' | 'still_running'>;
  /** Deletes rows of the thread in the unit that deletes the thread. Throws `thread_busy` to keep the thread. */
  forgetThread?: (trx: WriteTransaction<Tables>, threadId: string) => Promise<void>;
  /** Removes files once the rows are gone. It is called again after a failure, so it may find nothing left. */
  removeFiles?: (thread: RemovedThread) => Promise<void>;
  /** Deletes rows of a user whose account is gone, in one unit with the other parts. */
  forgetUser?: (trx: WriteTransaction<Tables>, userId: string) => Promise<void>;
}

/** The one list of what is deleted with a thread or an account. Each feature registers its part when it is made. */
export class Removals {
  readonly #parts: RemovalPart[] = [];

  /** A part sees only its own tables, as its area does. */
  register<Tables>(part: RemovalPart<Tables>): void {
    this.#parts.push(part as unknown as RemovalPart);
  }

  async stopWork(threadId: string): Promise<'stopped' | 'still_running'> {
    for (const part of this.#parts) {
      if ((await part.stopWork?.(threadId)) === 'still_running') return 'still_running';
    }
    return 'stopped';
  }

  async forgetThread<Tables>(trx: WriteTransaction<Tables>, threadId: string): Promise<void> {
    for (const part of this.#parts)
      await part.forgetThread?.(trx as unknown as WriteTransaction<unknown>, threadId);
  }

  async removeFiles(thread: RemovedThread): Promise<void> {
    for (const part of this.#parts) await part.removeFiles?.(thread);
  }

  async forgetUser<Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> {
    for (const part of this.#parts)
      await part.forgetUser?.(trx as unknown as WriteTransaction<unknown>, userId);
  }
}
