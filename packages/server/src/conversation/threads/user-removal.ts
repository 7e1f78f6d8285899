import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { Job, Jobs } from '../../platform/jobs/jobs.ts';
import type { Removals } from '../removals.ts';
import type { ConversationTables } from '../tables.ts';
import { requireFolderName } from '../user-files/user-folder.ts';
import type { ThreadStore } from './thread-store.ts';

const kind = 'conversation.remove-user';
const threadsAtOnce = 100;

/** Plans the removal in the unit that deletes the account, so that it also happens when the gateway stops in between. */
export function userRemovalBy(jobs: Pick<Jobs, 'enqueue' | 'wake'>) {
  return {
    plan: <Tables>(trx: WriteTransaction<Tables>, userId: string): Promise<void> =>
      jobs.enqueue(trx, { kind, key: userId, payload: { userId } }),
    wake: (): void => jobs.wake(kind),
  };
}

/** Once an account is deleted, everything that its user had here is removed: threads, files, memories, agents, assistants. */
export class UserRemoval {
  readonly #options;

  constructor(options: {
    database: Pick<Database<ConversationTables>, 'write'>;
    threads: Pick<ThreadStore, 'idsOf'>;
    removals: Pick<Removals, 'forgetUser'>;
    /** Deletes a thread with everything in it. Throws while something in it does not stop; the job then tries again later. */
    deleteThread: (owner: Owner, threadId: string) => Promise<unknown>;
    /** The data home. */
    home: string;
  }) {
    this.#options = options;
  }

  register(jobs: Pick<Jobs, 'register'>): void {
    jobs.register(kind, ({ payload, signal }) => this.#remove(String(payload.userId), signal));
  }

  async #remove(userId: string, signal: Job['signal']): Promise<void> {
    const { database, threads, removals, deleteThread, home } = this.#options;
    for (;;) {
      const threadIds = await threads.idsOf(userId, threadsAtOnce);
      for (const threadId of threadIds) {
        signal.throwIfAborted();
        await deleteThread({ user: userId }, threadId);
      }
      if (threadIds.length < threadsAtOnce) break;
    }
    // How often which model was called stays, for the sums that administrators see.
    await database.write((trx) => removals.forgetUser(trx, userId));
    // Last, because work that was still under way for the user may have written into the folder until now.
    const folder = join(resolve(home), 'users', requireFolderName('user', userId));
    await rm(folder, { recursive: true, force: true });
  }
}
