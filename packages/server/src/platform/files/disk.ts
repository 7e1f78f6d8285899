import { type FileHandle, mkdir, open, readdir, rename, stat, statfs, unlink } from 'node:fs/promises';

/** The part of the file system that the content store needs, so that a test can make any single step fail. */
export interface Disk {
  open: (path: string, flags: number, mode?: number) => Promise<FileHandle>;
  rename: typeof rename;
  unlink: typeof unlink;
  makeDirectory: (path: string) => Promise<void>;
  list: (path: string) => Promise<string[]>;
  /** Returns size and time of the last write, or null when there is nothing. */
  look: (path: string) => Promise<{ sizeBytes: number; modifiedMs: number } | null>;
  freeBytes: (path: string) => Promise<number>;
  /** Makes the names in a directory durable: a file that was renamed into it is there after a power cut. */
  syncDirectory: (path: string) => Promise<void>;
}

export const nodeDisk: Disk = { open, rename, unlink, makeDirectory, list, look, freeBytes, syncDirectory };

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
}

async function list(path: string): Promise<string[]> {
  return readdir(path);
}

async function look(path: string): Promise<{ sizeBytes: number; modifiedMs: number } | null> {
  try {
    const { size, mtimeMs } = await stat(path);
    return { sizeBytes: size, modifiedMs: mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

async function syncDirectory(path: string): Promise<void> {
  // Windows has no such call. NTFS keeps names in its journal.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
