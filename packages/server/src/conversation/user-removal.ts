import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Owner } from '../lib/owner.ts';
import type { WriteTransaction } from '../platform/database/database.ts';
import type { Job, Jobs } from '../platform/jobs/jobs.ts';
import { requireFolderName } from './user-files/user-folder.ts';
import type { UserRemovalStore } from './user-removal-store.ts';

const kind = 'conversation.remove-user';
const threadsAtOnce = 100;

/** Plans it in the unit that deletes an account, so that it is done also when the gateway stops in between. */
export function userRemovalBy(jobs: Pick<Jobs, 'enqueue' | 'wake'>) {
  return {
    plan: <Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> =>
      jobs.enqueue(trx, { kind, key: userId, payload: { userId } }),
    wake: (): void => jobs.wake(kind),
  };
}

interface UserRemovalOptions {
  store: UserRemovalStore;
  /** With everything in it. Throws while something in it does not stop; the job comes back to it then. */
  deleteThread: (owner: Owner, threadId: string) => Promise<unknown>;
  /** The data home. */
  home: string;
}

/** Once an account is gone, so is what its user had here: threads, files, memories, agents, assistants. */
export class UserRemoval {
  readonly #options: UserRemovalOptions;

  constructor(options: UserRemovalOptions) {
    this.#options = options;
  }

  register(jobs: Pick<Jobs, 'register'>): void {
    jobs.register(kind, ({ payload, signal }) => this.#remove(String(payload.userId), signal));
  }

  async #remove(userId: string, signal: Job['signal']): Promise<void> {
    const { store, deleteThread, home } = this.#options;
    for (;;) {
      const threadIds = await store.threadIds(userId, threadsAtOnce);
      for (const threadId of threadIds) {
        signal.throwIfAborted();
        await deleteThread({ user: userId }, threadId);
      }
      if (threadIds.length < threadsAtOnce) break;
    }
    await store.deleteRows(userId);
    // Last: what was still at work for the user has written into it until now.
    const folder = join(resolve(home), 'users', requireFolderName('user', userId));
    await rm(folder, { recursive: true, force: true });
  }
}
