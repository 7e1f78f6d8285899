import { AppError } from '../../../lib/app-error.ts';
import type { Owner } from '../../../lib/owner.ts';
import type { RunRow } from '../../tables.ts';
import type { RunStore } from './run-store.ts';

/**
 * Threads that are deleted with their run. The row says so until they are deleted, so that a crash in between leaves none behind.
 */
export class ThreadsOfRuns {
  readonly #options;
  readonly #deleting = new Set<Promise<void>>();

  constructor(options: {
    store: Pick<RunStore, 'threadsToDelete'>;
    deleteThread: (owner: Owner, threadId: string) => Promise<void>;
    onFault: (error: unknown) => void;
  }) {
    this.#options = options;
  }

  ended(run: RunRow): void {
    if (run.delete_thread !== 1) return;
    const deleting = this.delete(run)
      .catch(this.#options.onFault)
      .finally(() => this.#deleting.delete(deleting));
    this.#deleting.add(deleting);
  }

  /** Deletes those that a crash or a fault has left. */
  async sweep(): Promise<void> {
    for (const run of await this.#options.store.threadsToDelete()) await this.delete(run);
  }

  async delete({ thread_id, user_id }: Pick<RunRow, 'thread_id' | 'user_id'>): Promise<void> {
    try {
      await this.#options.deleteThread({ user: user_id }, thread_id);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'thread_not_found')) throw error;
    }
  }

  /** Resolves when the deletions that have begun are done. */
  async settled(): Promise<void> {
    await Promise.all(this.#deleting);
  }
}
