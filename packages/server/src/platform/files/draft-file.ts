import { lstat, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { newId } from '../../lib/ids.ts';
import { hourMs } from '../../lib/time-units.ts';
import type { Disk } from './disk.ts';
import { writeBlob } from './write-blob.ts';

/** Content that is on the disk but not yet in its place. */
export interface Draft {
  path: string;
  sha256: string;
  sizeBytes: number;
}

const draftName = /^\.upload-.*\.part$/i;

/**
 * Files that a crash left behind have such names too. They are never shown, and no one can upload under such a name.
 */
export function isDraftName(name: string): boolean {
  return draftName.test(name);
}

/** No request takes longer to send its body, and no copy takes longer. */
const staleMs = hourMs;

/** Removes the drafts that a crash has left behind. */
export async function sweepDrafts(disk: Disk, folder: string, nowMs: number): Promise<void> {
  for (const name of (await readdir(folder)).filter(isDraftName)) {
    const path = join(folder, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (nowMs - mtimeMs > staleMs) await dropDraft(disk, path);
  }
}

/** Leaves nothing behind when it fails. */
export async function writeDraft(
  disk: Disk,
  folder: string,
  options: { source: Readable; maxBytes: number; requireSpace: () => Promise<void> },
): Promise<Draft> {
  const path = join(folder, `.upload-${newId()}.part`);
  try {
    const { sha256, sizeBytes } = await writeBlob(disk, path, options);
    return { path, sha256, sizeBytes };
  } catch (error) {
    await dropDraft(disk, path);
    throw error;
  }
}

/** Replaces the target in one step. Once this has resolved, the file outlives a power cut. */
export async function placeDraft(disk: Disk, { path }: Draft, target: string): Promise<void> {
  await disk.rename(path, target);
  await disk.syncDirectory(dirname(target));
}

/** A failure to clean up must not hide the original error. The next upload into the folder sweeps it. */
export async function dropDraft(disk: Disk, path: string): Promise<void> {
  await disk.unlink(path).catch(() => undefined);
}

/**
 * Returns whether the path may be overwritten: it is free, or an ordinary file without a second name. Through a link of
 * either kind, a different file than the named one would change.
 */
export async function isReplaceable(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    return stats.isFile() && stats.nlink === 1;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}
