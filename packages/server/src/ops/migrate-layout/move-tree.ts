import { basename, dirname, join } from 'node:path';
import { lookAt, namesIn } from './file-tree.ts';
import type { MoveDisk } from './move-disk.ts';

/**
 * Moves a file or a folder to a free place. Within one file system it renames, which happens completely or not at all.
 * To another file system it copies, names the copy when it is complete and on the disk, and only then removes the
 * original. A crash in between leaves the original, or both.
 */
export async function moveTree(disk: MoveDisk, from: string, to: string): Promise<void> {
  await disk.makeFolder(dirname(to));
  try {
    await disk.rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyOver(disk, from, to);
    await disk.remove(from);
  }
  await disk.syncFolder(dirname(to));
  await disk.syncFolder(dirname(from));
}

async function copyOver(disk: MoveDisk, from: string, to: string): Promise<void> {
  // No id begins with a dot, so the draft is never taken for a thread.
  const draft = join(dirname(to), `.${basename(to)}.migrating`);
  await disk.remove(draft);
  await copyTree(disk, from, draft);
  await disk.rename(draft, to);
  await disk.syncFolder(dirname(to));
}

async function copyTree(disk: MoveDisk, from: string, to: string): Promise<void> {
  const entry = await lookAt(from);
  if (entry?.kind === 'file') return disk.copyFile(from, to, entry.stats);
  if (entry?.kind === 'link') return disk.copyLink(from, to);
  if (entry?.kind !== 'folder')
    throw new Error(`${from} is neither a file nor a folder and cannot be copied.`);
  await disk.makeFolder(to);
  for (const name of await namesIn(from)) await copyTree(disk, join(from, name), join(to, name));
  await disk.syncFolder(to);
}
