import { copyFile, lstat, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import type { ThreadFolders } from './thread-folders.ts';
import { folderNames } from './virtual-path.ts';
import { whileThreadExists } from './while-thread-exists.ts';

/** Copies the files of a thread into another thread of the same user. Resolves to false when it has none. */
export type CopyOfFolders = (owner: Owner, threads: { from: string; to: string }) => Promise<boolean>;

const maxBytes = 512 * 1024 * 1024;
const maxFiles = 10_000;

/** Copies regular files and folders; links stay behind. When a limit is exceeded, nothing stays of the copy. */
export function copyOfFolders(folders: ThreadFolders, access: Pick<ThreadAccess, 'require'>): CopyOfFolders {
  return async (owner, { from, to }) => {
    const userId = userScope(owner);
    const [source, target] = [
      { userId, threadId: from },
      { userId, threadId: to },
    ];
    return whileThreadExists({ access, folders }, { owner, threadId: to }, () =>
      copyAll(folders, source, target),
    );
  };
}

async function copyAll(folders: ThreadFolders, from: WorkspaceKey, to: WorkspaceKey): Promise<boolean> {
  const budget = { bytes: maxBytes, files: maxFiles };
  let isThere = false;
  try {
    for (const name of folderNames) {
      const source = await folders.find(from, name);
      if (!source) continue;
      isThere = true;
      await copyInto(folders, { source, target: await folders.make(to, name), budget });
    }
  } catch (error) {
    await folders.remove(to);
    throw error;
  }
  return isThere;
}

async function copyInto(
  folders: ThreadFolders,
  { source, target, budget }: { source: string; target: string; budget: { bytes: number; files: number } },
): Promise<void> {
  for (const name of await readdir(source)) {
    const [from, to] = [join(source, name), join(target, name)];
    const entry = await lstat(from);
    if (!entry.isFile() && !entry.isDirectory()) continue;
    budget.files -= 1;
    budget.bytes -= entry.isFile() ? entry.size : 0;
    if (budget.files < 0 || budget.bytes < 0)
      throw new Error('The files of the thread are too many or too large.');
    if (entry.isDirectory()) {
      await mkdir(to, { mode: 0o700 });
      await copyInto(folders, { source: from, target: to, budget });
    } else {
      await folders.requireSpace(target);
      await copyFile(from, to);
    }
  }
  await folders.disk.syncDirectory(target);
}
