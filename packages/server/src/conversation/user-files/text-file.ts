import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../lib/ids.ts';
import { nodeDisk } from '../../platform/files/disk.ts';

/** The file at the path of one of our texts is not one of them: it is a link, a folder, or far too large. */
export class NotOurText extends Error {}

/** Returns null when there is no file. A link in its place throws `NotOurText` and is not followed. */
export async function readTextFile(
  path: string,
  {
    maxBytes,
    unlessModifiedMs,
  }: {
    maxBytes: number;
    /** Returns `unchanged` without reading when the file was last changed at this moment. */
    unlessModifiedMs?: number | undefined;
  },
): Promise<{ text: string; modifiedMs: number } | 'unchanged' | null> {
  const file = await openOrNull(path);
  if (!file) return null;
  try {
    const stats = await file.stat();
    if (!stats.isFile())
      throw new NotOurText('A folder or a device stands in place of a file of the data home.');
    const { size, mtimeMs } = stats;
    if (mtimeMs === unlessModifiedMs) return 'unchanged';
    if (size > maxBytes) throw new NotOurText(`A file of the data home is larger than ${maxBytes} bytes.`);
    return { text: await file.readFile('utf8'), modifiedMs: mtimeMs };
  } finally {
    await file.close();
  }
}

/** Writes the whole new text or keeps the whole old one, even after a power cut. Other users of this machine may not read it. */
export async function writeTextFile(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${newId()}.part`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await nodeDisk.syncDirectory(folder);
}

async function openOrNull(path: string) {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP')
      throw new NotOurText('A link stands in place of a file of the data home.', { cause: error });
    throw error;
  }
}
