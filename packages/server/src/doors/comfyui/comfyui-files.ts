import type { StoredFiles } from '../../dispatch/files/stored-files.ts';
import { AppError } from '../../lib/app-error.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import type { StoredContent } from '../../platform/files/blob-store.ts';
import { safeDisplayName } from '../../platform/files/display-name.ts';
import { type ComfyuiFileName, type FolderType, numberedName, readFileName } from './comfyui-names.ts';

type Files = Pick<StoredFiles, 'open' | 'newestNamed' | 'add' | 'list'>;
type OpenedFile = Awaited<ReturnType<StoredFiles['open']>>;

/** As many files may have one name. ComfyUI counts without end. */
const maxNumber = 1_000;
const maxListed = 200;
const fileId = /^[A-Za-z0-9_-]{22}$/;

/**
 * The files of an account under the names that clients of ComfyUI use. The folder of uploads is flat: a subfolder is echoed and does
 * not tell two files apart. The subfolder of an output is the id of its file.
 */
export class ComfyuiFiles {
  readonly #files: Files;
  readonly #uploads = new KeyLock();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Returns undefined when the account has no such file. */
  async find(userId: string, name: ComfyuiFileName): Promise<OpenedFile | undefined> {
    const id = await this.#idOf(userId, name);
    if (id === undefined) return undefined;
    try {
      return await this.#files.open({ user: userId }, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'file_not_found') return undefined;
      throw error;
    }
  }

  /** The names of the newest files, as an input of a node takes them. Files that a node only shows are in no list. */
  async newest(userId: string, folder: FolderType): Promise<string[]> {
    if (folder === 'temp') return [];
    const source = folder === 'output' ? 'output' : 'upload';
    const reader = { owner: { user: userId }, origin: undefined };
    const { items } = await this.#files.list(reader, { source, limit: maxListed });
    const names = items.map(({ fileId, filename }) =>
      folder === 'output' ? `${fileId}/${filename} [output]` : filename,
    );
    return [...new Set(names)];
  }

  /** Gives an upload its name. Uploads of one account get theirs one after the other, so that no two files share one. */
  async name(
    { userId, origin }: { userId: string; origin: string | undefined },
    given: { filename: string; subfolder: string; overwrite: boolean },
    content: StoredContent,
  ): Promise<string> {
    const name = readFileName(given.filename, { subfolder: given.subfolder, folder: 'input' });
    if (!name)
      throw new AppError('validation_failed', {
        message: 'The name or the subfolder leads out of the folder.',
      });
    return this.#uploads.run(userId, async () => {
      for (let number = 0; number <= maxNumber; number += 1) {
        const filename = safeDisplayName(numberedName(name.filename, number));
        const present = given.overwrite
          ? undefined
          : await this.#files.newestNamed(userId, { filename, source: 'upload' });
        if (present?.sha256 === content.sha256) return filename;
        if (present) continue;
        await this.#files.add({ userId, origin }, filename, content);
        return filename;
      }
      throw new AppError('validation_failed', { message: 'There are too many files with this name.' });
    });
  }

  async #idOf(userId: string, { filename, subfolder, folder }: ComfyuiFileName): Promise<string | undefined> {
    const id = subfolder.slice(subfolder.lastIndexOf('/') + 1);
    if (fileId.test(id)) return id;
    const source = folder === 'output' ? 'output' : 'upload';
    return (await this.#files.newestNamed(userId, { filename, source }))?.id;
  }
}
