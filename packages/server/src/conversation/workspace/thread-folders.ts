import { lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Disk } from '../../platform/files/disk.ts';
import { requireFolderName } from '../user-files/user-folder.ts';
import { type FolderName, folderNames } from './virtual-path.ts';

interface ThreadFoldersOptions {
  /** The data home. */
  home: string;
  /** Left free on the disk, so that files of threads never take the last page from a database beside them. */
  reserveBytes: number;
  disk: Disk;
}

/**
 * Where the files of a thread lie: `<home>/users/<user>/threads/<thread>/user-data/{uploads,workspace,outputs}`, and without
 * a user `<home>/threads/<thread>/user-data`. Each user has a folder of their own, also in a thread that is shared.
 */
export class ThreadFolders {
  readonly #home: string;
  readonly #reserveBytes: number;
  readonly disk: Disk;

  constructor({ home, reserveBytes, disk }: ThreadFoldersOptions) {
    this.#home = resolve(home);
    this.#reserveBytes = reserveBytes;
    this.disk = disk;
  }

  /** What stands for `/mnt/user-data`. It may not be there yet. */
  rootOf({ userId, threadId }: WorkspaceKey): string {
    const owner = userId === null ? [] : ['users', requireFolderName('user', userId)];
    return join(this.#home, ...owner, 'threads', requireFolderName('thread', threadId), 'user-data');
  }

  /** One of the three, null where it has not been made. A link in its place is not followed. */
  async find(key: WorkspaceKey, folder: FolderName): Promise<string | null> {
    const path = join(this.rootOf(key), folder);
    try {
      if ((await lstat(path)).isDirectory()) return path;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    throw new AppError('path_denied');
  }

  /** All three, and answers the one that is asked for. */
  async make(key: WorkspaceKey, folder: FolderName): Promise<string> {
    const root = this.rootOf(key);
    let isNew = false;
    for (const name of folderNames) {
      if (await this.find(key, name)) continue;
      await mkdir(join(root, name), { recursive: true, mode: 0o700 });
      isNew = true;
    }
    if (isNew) await this.#syncUp(root);
    return join(root, folder);
  }

  /** For what was written into a thread that is gone by now. */
  async remove(key: WorkspaceKey): Promise<void> {
    const root = this.rootOf(key);
    await rm(root, { recursive: true, force: true });
    // Stays where something else of the thread is left; whoever deletes the thread removes that.
    await rmdir(dirname(root)).catch(() => undefined);
  }

  async requireSpace(folder: string): Promise<void> {
    if ((await this.disk.freeBytes(folder)) < this.#reserveBytes) throw new AppError('storage_full');
  }

  /** A new folder is there after a power cut only when its name and those above it are on the disk as well. */
  async #syncUp(from: string): Promise<void> {
    for (let current = from; current.length >= this.#home.length; current = dirname(current)) {
      await this.disk.syncDirectory(current);
    }
  }
}
