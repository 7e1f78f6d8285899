import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Absent, ListedFile } from './backup-manifest.ts';

export interface HomeFile extends Pick<ListedFile, 'path' | 'mode' | 'stamp'> {
  from: string;
}

/**
 * Entries that a backup leaves out, because the gateway makes them again, because they belong to one process, or
 * because they are copied in another way: content by its rows, and the database as a whole.
 */
const leftOut =
  /^(files|thumbnails|worker|lent|gateway\.json|last-backup\.json|(home|database)\.lock(\.json)?|.*\.db(-wal|-shm|-journal|\.part)?|lost\+found)$/;
/** The name in a backup too, whatever the file of `auth.jwt_secret_file` is called. */
export const keyFileName = '.jwt_secret';
/** Keys and passwords. A backup holds them apart, and only when the operator asks for them. */
export const secretFiles = [keyFileName, 'admin_initial_credentials.txt'];
const sharedMark = '.switchyard-shared.json';

/**
 * Returns the files of a home, whatever an area has put there, apart from what a backup leaves out. `others` are folders that
 * lie in it and are looked at by themselves. Links are not followed: `onAbsent` is told.
 */
export async function* homeFiles(
  home: string,
  { others, onAbsent }: { others: readonly string[]; onAbsent: (absent: Absent) => void },
): AsyncGenerator<HomeFile> {
  for await (const entry of entriesOf(home)) {
    const isLeft = leftOut.test(entry.name) || secretFiles.includes(entry.name) || entry.name === sharedMark;
    const isUnfinished = entry.name.endsWith('.tmp');
    if (!isLeft && !isUnfinished && !others.includes(join(home, entry.name)))
      yield* filesBelow(home, entry.name, entry, { others, onAbsent });
  }
}

async function* filesBelow(
  home: string,
  path: string,
  entry: Dirent,
  options: Parameters<typeof homeFiles>[1],
): AsyncGenerator<HomeFile> {
  const from = join(home, path);
  if (entry.isDirectory()) {
    for await (const inner of entriesOf(from)) {
      const innerPath = `${path}/${inner.name}`;
      if (!options.others.includes(join(home, innerPath))) yield* filesBelow(home, innerPath, inner, options);
    }
    return;
  }
  if (!entry.isFile()) {
    options.onAbsent({ path: from, why: entry.isSymbolicLink() ? 'It is a link.' : 'It is not a file.' });
    return;
  }
  try {
    const { mode, size, mtimeNs, ctimeNs } = await lstat(from, { bigint: true });
    yield { from, path, mode: Number(mode & 0o777n), stamp: `${size} ${mtimeNs} ${ctimeNs}` };
  } catch (error) {
    if (!isGone(error)) throw error; // Removed meanwhile, by its user.
  }
}

async function* entriesOf(path: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(path);
  } catch (error) {
    if (!isGone(error)) throw error; // Removed meanwhile, by its user.
  }
}

export function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
