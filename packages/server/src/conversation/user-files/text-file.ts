import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId } from '../../lib/ids.ts';
import { nodeDisk } from '../../platform/files/disk.ts';

interface TextFile {
  text: string;
  modifiedMs: number;
}

interface ReadOptions {
  maxBytes: number;
  /** Answers `unchanged` without reading when the file was last changed at this moment. */
  unlessModifiedMs?: number | undefined;
}

/** What stands at the path of a text of ours is not one: a link, a folder, or far too much. */
export class NotOurText extends Error {}

/** Null where no file is. A link in its place is `NotOurText` and not followed. */
export async function readTextFile(
  path: string,
  { maxBytes, unlessModifiedMs }: ReadOptions,
): Promise<TextFile | 'unchanged' | null> {
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

/** The whole new text or the whole old one, also after a power cut. Nobody else of this machine may read it. */
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
