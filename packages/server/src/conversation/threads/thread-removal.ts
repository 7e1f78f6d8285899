import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { ThreadRow } from '../tables.ts';
import { threadNotFound } from './thread.ts';
import type { ForgetThread, ThreadStore } from './thread-store.ts';

export interface ThreadRemovalOptions {
  store: ThreadStore;
  /** Cancels what is open in the thread and waits for its end, for a while. */
  stopWork: (threadId: string) => Promise<'stopped' | 'still_running'>;
  /** Parts of the unit that deletes a thread, in this order. The runs' own throws `thread_busy` where one has begun. */
  alongside: readonly ForgetThread[];
  /** Once the rows are gone. Asked again at the next start when it fails, so it may find nothing left. */
  removeFiles: (thread: Named) => Promise<void>;
  clock: Clock;
  log: { warn(fields: object, message: string): void };
}

type Named = Pick<ThreadRow, 'thread_id' | 'user_id'>;

/** A run may begin between the stop and the unit as often as somebody starts one; nobody does for ever. */
const attempts = 3;
const filesAtOnce = 500;

/** Deletes threads with everything in them, so that nothing is left to come back. */
export class ThreadRemoval {
  readonly #options: ThreadRemovalOptions;

  constructor(options: ThreadRemovalOptions) {
    this.#options = options;
  }

  /** Throws `thread_busy` while a run does not stop, and `thread_not_found` when somebody else was quicker. */
  async remove(thread: Named): Promise<void> {
    const { stopWork } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      if ((await stopWork(thread.thread_id)) === 'still_running') throw new AppError('thread_busy');
      try {
        await this.#deleteRows(thread);
        break;
      } catch (error) {
        const isBusy = error instanceof AppError && error.code === 'thread_busy';
        if (!isBusy || attempt === attempts) throw error;
      }
    }
    await this.#removeFiles(thread);
  }

  /** As if the thread had never been made: for one that could not be made whole. */
  async discard(threadId: string): Promise<void> {
    await this.#options.store.discard(threadId, this.#options);
  }

  /** At start: the files of threads whose deletion was cut off behind its commit. */
  async finish(): Promise<void> {
    for (const thread of await this.#options.store.withFilesLeft(filesAtOnce))
      await this.#removeFiles(thread);
  }

  async #deleteRows(thread: Named): Promise<void> {
    const { store, alongside, clock } = this.#options;
    const deleted = await store.delete(thread, { alongside, at: toIso(clock()) });
    if (!deleted) throw threadNotFound(thread.thread_id);
  }

  /** The thread is gone for everybody by now; whatever of its files cannot be removed is tried again. */
  async #removeFiles(thread: Named): Promise<void> {
    const { store, removeFiles, log } = this.#options;
    try {
      await removeFiles(thread);
      await store.filesRemoved(thread.thread_id);
    } catch (error) {
      log.warn(
        { err: error, threadId: thread.thread_id },
        'Files of a deleted thread could not be removed; the next start tries again',
      );
    }
  }
}
