import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { BackupFolder } from './backup-folder.ts';
import { type ListedFile, type Manifest, parts } from './backup-manifest.ts';
import { isGone } from './home-files.ts';

export interface FoundBackup {
  folder: BackupFolder;
  name: string;
  manifest: Manifest;
  /** The path of a part of it. */
  part: (name: string) => string;
}

/** Finds a backup: that of `at` or the latest one of a folder, or the one whose own folder is named. */
export async function findBackup(from: string, at?: string): Promise<FoundBackup> {
  const path = resolve(from);
  if (!existsSync(path)) throw new Error(`There is no backup at ${path}.`);
  const isOne = existsSync(join(path, parts.manifest));
  const folder = new BackupFolder(isOne ? dirname(path) : path);
  const names = await folder.names();
  const name = isOne ? basename(path) : nameOf(names, at);
  if (name === undefined) {
    const there = names.length === 0 ? 'it holds no whole backup' : `it holds ${names.join(', ')}`;
    const wanted = at === undefined ? 'No backup' : `No backup ${at}`;
    throw new Error(`${wanted} is in ${path}: ${there}.`);
  }
  const part = (file: string): string => folder.partOf(name, file);
  return { folder, name, manifest: await folder.manifest(name), part };
}

/** A time may be written as the manifest has it, or as the folder is called. */
function nameOf(names: readonly string[], at: string | undefined): string | undefined {
  return at === undefined ? names.at(-1) : names.find((name) => name === at.replaceAll(':', ''));
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
    if ((await hashIfThere(path)) !== sha256)
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
    const actual = await hashIfThere(found.folder.contentPath(sha256));
    const what = home === 'content' ? `The content ${sha256}` : `The content of ${path} (${sha256})`;
    if (actual === null) faults.push(`${what} is missing.`);
    else if (actual !== sha256) faults.push(`${what} is damaged.`);
  }
  return faults;
}

/** Reads the lines of a list of files. */
export async function* filesOf(path: string): AsyncGenerator<ListedFile> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ListedFile;
  }
}

export async function hashOf(content: Readable): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(content, hash);
  return hash.digest('hex');
}

async function hashIfThere(path: string): Promise<string | null> {
  try {
    return await hashOf(createReadStream(path));
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}
