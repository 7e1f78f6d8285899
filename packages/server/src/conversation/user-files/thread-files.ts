import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ThreadRow } from '../tables.ts';

/** The contract's form of thread ids. */
const folderName = /^[A-Za-z0-9_-]{1,64}$/;

/** The files of threads: below their user, or directly below the home in the older layout. */
export class ThreadFiles {
  readonly #home: string;

  constructor(home: string) {
    this.#home = home;
  }

  /** Removes everything of the thread; a shared one may have files of every user. */
  async remove({ thread_id, user_id }: Pick<ThreadRow, 'thread_id' | 'user_id'>): Promise<void> {
    // An id from the agent runtime's own store can be any text, and then has no folder.
    if (!folderName.test(thread_id)) return;
    const users = user_id === null ? await this.#users() : [user_id];
    const folders = users.map((userId) => join(this.#home, 'users', userId, 'threads', thread_id));
    for (const folder of [...folders, join(this.#home, 'threads', thread_id)])
      await rm(folder, { recursive: true, force: true });
  }

  async #users(): Promise<string[]> {
    try {
      return await readdir(join(this.#home, 'users'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
