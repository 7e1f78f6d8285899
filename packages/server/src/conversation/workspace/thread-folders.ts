import { lstat, mkdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Disk } from '../../platform/files/disk.ts';
import { requireFolderName } from '../user-files/user-folder.ts';
import { type FolderName, folderNames } from './virtual-path.ts';

/**
 * The folders with the files of a thread: `<home>/users/<user>/threads/<thread>/user-data/{uploads,workspace,outputs}`,
 * and `<home>/threads/<thread>/user-data` without a user. Each user has a separate folder, even in a shared thread.
 */
export class ThreadFolders {
  readonly #home: string;
  readonly #reserveBytes: number;
  readonly disk: Disk;

  constructor({
    home,
    reserveBytes,
    disk,
  }: {
    /** The data home. */
    home: string;
    /** Disk space that is left free, so that files of threads never take the last page from a database beside them. */
    reserveBytes: number;
    disk: Disk;
  }) {
    this.#home = resolve(home);
    this.#reserveBytes = reserveBytes;
    this.disk = disk;
  }

  /** The folder that is `/mnt/user-data` for agents. It may not exist yet. */
  rootOf({ userId, threadId }: WorkspaceKey): string {
    const owner = userId === null ? [] : ['users', requireFolderName('user', userId)];
    return join(this.#home, ...owner, 'threads', requireFolderName('thread', threadId), 'user-data');
  }

  /** One of the three folders; null when it has not been created. A link in its place is not followed. */
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

  /** Creates all three folders and returns the requested one. */
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

  /** Removes what was written into a thread that has been deleted since. */
  async remove(key: WorkspaceKey): Promise<void> {
    const root = this.rootOf(key);
    await rm(root, { recursive: true, force: true });
    // The folder stays when something else of the thread is left; deleting the thread removes that.
    await rmdir(dirname(root)).catch(() => undefined);
  }

  async requireSpace(folder: string): Promise<void> {
    if ((await this.disk.freeBytes(folder)) < this.#reserveBytes) throw new AppError('storage_full');
  }

  /** After a power cut a new folder exists only when its name and those above it were written to the disk as well. */
  async #syncUp(from: string): Promise<void> {
    for (let current = from; current.length >= this.#home.length; current = dirname(current)) {
      await this.disk.syncDirectory(current);
    }
  }
}
