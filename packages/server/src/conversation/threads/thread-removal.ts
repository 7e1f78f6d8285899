import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { Removals, RemovedThread } from '../removals.ts';
import { threadNotFound } from './thread.ts';
import type { ForgetThread, ThreadStore } from './thread-store.ts';

/** A run may begin between the stop and the unit. This limits how often the deletion is tried again. */
const attempts = 3;
const filesAtOnce = 500;

/** Deletes threads with everything in them, so that nothing of them can come back. */
export class ThreadRemoval {
  readonly #options;
  readonly #forget: ForgetThread;

  constructor(options: {
    store: ThreadStore;
    removals: Pick<Removals, 'stopWork' | 'forgetThread' | 'removeFiles'>;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
    this.#forget = (trx, threadId) => options.removals.forgetThread(trx, threadId);
  }

  /** Throws `thread_busy` while a run does not stop, and `thread_not_found` when another request has deleted the thread first. */
  async remove(thread: RemovedThread): Promise<void> {
    const { removals } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      if ((await removals.stopWork(thread.thread_id)) === 'still_running') throw new AppError('thread_busy');
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

  /** Like `remove`, for a thread in which nothing happens: no run is stopped, and `confirm` throws in the unit to keep the thread. */
  async removeQuiet(thread: RemovedThread, confirm: UnitPart): Promise<void> {
    await this.#deleteRows(thread, confirm);
    await this.#removeFiles(thread);
  }

  /** Removes a thread whose creation failed, as if it had never existed. */
  async discard(threadId: string): Promise<void> {
    await this.#options.store.discard(threadId, { alongside: [this.#forget] });
  }

  /** Called at start: removes the files of threads whose deletion was interrupted after its commit. */
  async finish(): Promise<void> {
    for (const thread of await this.#options.store.withFilesLeft(filesAtOnce))
      await this.#removeFiles(thread);
  }

  async #deleteRows(thread: RemovedThread, confirm?: UnitPart): Promise<void> {
    const { store, clock } = this.#options;
    const alongside = [...(confirm ? [confirm as ForgetThread] : []), this.#forget];
    const deleted = await store.delete(thread, { alongside, at: toIso(clock()) });
    if (!deleted) throw threadNotFound(thread.thread_id);
  }

  /** By now no one can see the thread. Files that cannot be removed are tried again later. */
  async #removeFiles(thread: RemovedThread): Promise<void> {
    const { store, removals, log } = this.#options;
    try {
      await removals.removeFiles(thread);
      await store.filesRemoved(thread.thread_id);
    } catch (error) {
      log.warn(
        { err: error, threadId: thread.thread_id },
        'Files of a deleted thread could not be removed; the next start tries again',
      );
    }
  }
}
