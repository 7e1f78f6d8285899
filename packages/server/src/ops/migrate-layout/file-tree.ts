import type { Stats } from 'node:fs';
import { lstat, open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

export type EntryKind = 'file' | 'folder' | 'link' | 'other';

/** Returns what is at the path itself; null if there is nothing. Links are not followed. */
export async function lookAt(path: string): Promise<{ kind: EntryKind; stats: Stats } | null> {
  try {
    const stats = await lstat(path);
    return { kind: kindOf(stats), stats };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** Returns the names in their order; an empty list if there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  if ((await lookAt(folder))?.kind !== 'folder') return [];
  return (await readdir(folder)).sort();
}

/** Returns everything below a folder that is neither a file nor a folder, with its path inside the folder. */
export async function oddEntriesIn(folder: string): Promise<{ path: string; kind: 'link' | 'other' }[]> {
  const found: { path: string; kind: 'link' | 'other' }[] = [];
  for (const name of await namesIn(folder)) {
    const kind = (await lookAt(join(folder, name)))?.kind;
    if (kind === 'link' || kind === 'other') found.push({ path: name, kind });
    if (kind !== 'folder') continue;
    const below = await oddEntriesIn(join(folder, name));
    found.push(...below.map((entry) => ({ ...entry, path: join(name, entry.path) })));
  }
  return found;
}

/** Returns whether everything at one place is also at the other, byte by byte. The other place may hold more. */
export async function isContained(part: string, whole: string): Promise<boolean> {
  const [left, right] = [await lookAt(part), await lookAt(whole)];
  if (!left || !right || left.kind !== right.kind) return false;
  if (left.kind === 'link') return (await readlink(part)) === (await readlink(whole));
  if (left.kind === 'file') return left.stats.size === right.stats.size && hasSameBytes(part, whole);
  if (left.kind === 'other') return false;
  for (const name of await namesIn(part)) {
    if (!(await isContained(join(part, name), join(whole, name)))) return false;
  }
  return true;
}

const chunkBytes = 64 * 1024;

async function hasSameBytes(a: string, b: string): Promise<boolean> {
  const first = await open(a, 'r');
  try {
    const second = await open(b, 'r');
    try {
      for (let at = 0; ; ) {
        const left = await first.read(Buffer.alloc(chunkBytes), 0, chunkBytes, at);
        const right = await second.read(Buffer.alloc(chunkBytes), 0, left.bytesRead || 1, at);
        if (left.bytesRead !== right.bytesRead) return false;
        if (left.bytesRead === 0) return true;
        if (!left.buffer.subarray(0, left.bytesRead).equals(right.buffer.subarray(0, right.bytesRead))) {
          return false;
        }
        at += left.bytesRead;
      }
    } finally {
      await second.close();
    }
  } finally {
    await first.close();
  }
}

function kindOf(stats: Stats): EntryKind {
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}
