import { join, resolve } from 'node:path';
import { maxProfileLength } from '@switchyard/contract/conversation/profile';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import { NotOurText, readTextFile, writeTextFile } from '../user-files/text-file.ts';
import { requireFolderName } from '../user-files/user-folder.ts';
import { userScope } from '../user-scope.ts';

const maxFileBytes = 256 * 1024;

/** The texts about themselves that users give to every agent: `users/<user>/USER.md`. */
export class Profiles {
  readonly #home: string;

  constructor(home: string) {
    this.#home = resolve(home);
  }

  /**
   * Returns null while nothing is written. Throws `profile_corrupted`. Cuts a text that was made longer by hand than the API
   * allows.
   */
  async read(owner: Owner): Promise<string | null> {
    const file = await readProfile(this.#pathOf(owner));
    if (file === null || file === 'unchanged' || file.text.trim() === '') return null;
    return [...file.text].slice(0, maxProfileLength).join('');
  }

  async write(owner: Owner, content: string): Promise<string | null> {
    await writeTextFile(this.#pathOf(owner), content);
    return content.trim() === '' ? null : content;
  }

  #pathOf(owner: Owner): string {
    const user = userScope(owner);
    if (user === null) throw new Error('A profile belongs to one user: pass { user }.');
    return join(this.#home, 'users', requireFolderName('user', user), 'USER.md');
  }
}

async function readProfile(path: string) {
  try {
    return await readTextFile(path, { maxBytes: maxFileBytes });
  } catch (cause) {
    throw cause instanceof NotOurText ? new AppError('profile_corrupted', { cause }) : cause;
  }
}
