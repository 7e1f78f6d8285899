import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadArchive } from './backup-archive.ts';
import { BackupFolder } from './backup-folder.ts';
import { filesOf, type Manifest, parts, readManifest } from './backup-manifest.ts';
import { isGone } from './home-files.ts';

export interface FoundBackup {
  folder: Pick<BackupFolder, 'names' | 'partOf' | 'has' | 'open'>;
  name: string;
  /** Its folder, or the file in which it is. */
  path: string;
  manifest: Manifest;
  /** The path of a part of it. */
  part: (name: string) => string;
  /** Removes what was taken out of a file. */
  close: () => void;
}

/** Finds a backup: that of `at` or the latest one of a folder or a file, or the one whose own folder is named. */
export async function findBackup(from: string, at?: string): Promise<FoundBackup> {
  const path = resolve(from);
  if (!existsSync(path)) throw new Error(`There is no backup at ${path}.`);
  if (!isFolder(path)) return inArchive(path, at);
  const isOne = existsSync(join(path, parts.manifest));
  const folder = new BackupFolder(isOne ? dirname(path) : path);
  const name = isOne ? basename(path) : nameOf(await folder.names(), { at, path });
  return { ...(await found(folder, { name, path: join(folder.path, name) })), close: () => undefined };
}

async function inArchive(path: string, at: string | undefined): Promise<FoundBackup> {
  const archive = await ReadArchive.open(path);
  const name = nameOf(await archive.names(), { at, path });
  const close = (): void => archive.close();
  try {
    await archive.takeOut(name);
    return { ...(await found(archive, { name, path })), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function found(
  folder: FoundBackup['folder'],
  { name, path }: { name: string; path: string },
): Promise<Omit<FoundBackup, 'close'>> {
  const part = (file: string): string => folder.partOf(name, file);
  const manifest = readManifest(await readFile(part(parts.manifest), 'utf8'), path);
  return { folder, name, path, manifest, part };
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** A time may be written as the manifest has it, or as the folder is called. */
function nameOf(names: readonly string[], { at, path }: { at: string | undefined; path: string }): string {
  const name = at === undefined ? names.at(-1) : names.find((each) => each === at.replaceAll(':', ''));
  if (name !== undefined) return name;
  const there = names.length === 0 ? 'it holds no whole backup' : `it holds ${names.join(', ')}`;
  const wanted = at === undefined ? 'No backup' : `No backup ${at}`;
  throw new Error(`${wanted} is in ${path}: ${there}.`);
}

/** Throws an error with one sentence when the database or the list of files is not what the manifest names. */
export async function requireWhole({ manifest, part }: FoundBackup): Promise<void> {
  const expected = [
    [parts.database, manifest.database.sha256],
    [parts.list, manifest.files.listSha256],
    ...(manifest.secrets ? [[parts.secrets, manifest.secrets.sha256]] : []),
  ] as const;
  for (const [name, sha256] of expected) {
    const path = part(name ?? '');
    if ((await hashIfThere(() => createReadStream(path))) !== sha256)
      throw new Error(
        `${path} is damaged or missing: its hash is not that of the manifest. Use another backup.`,
      );
  }
}

/** Reads all of a backup and returns its faults; none for a good one. */
export async function faultsOf(
  found: FoundBackup,
  onProgress: (done: number, total: number) => void,
): Promise<string[]> {
  await requireWhole(found);
  const faults: string[] = [];
  const seen = new Set<string>();
  let done = 0;
  for await (const { sha256, path, home } of filesOf(found.part(parts.list))) {
    done += 1;
    onProgress(done, found.manifest.files.count);
    if (seen.has(sha256)) continue;
    seen.add(sha256);
    const actual = await hashIfThere(() => found.folder.open(sha256));
    const what = home === 'content' ? `The content ${sha256}` : `The content of ${path} (${sha256})`;
    if (actual === null) faults.push(`${what} is missing.`);
    else if (actual !== sha256) faults.push(`${what} is damaged.`);
  }
  return faults;
}

export async function hashOf(content: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(content, hash);
  return hash.digest('hex');
}

async function hashIfThere(open: () => Readable): Promise<string | null> {
  try {
    return await hashOf(open());
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
