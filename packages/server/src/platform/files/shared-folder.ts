import { constants } from 'node:fs';
import { access, link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '@switchyard/contract/is-record';
import { newId, newSecret } from '../../lib/ids.ts';
import { nodeDisk } from './disk.ts';
import type { SharedFolderStore } from './shared-folder-store.ts';

interface SharedFolderOptions {
  folder: string;
  /** The name of the database, which no other database has. */
  database: string;
  store: SharedFolderStore;
}

interface Mark {
  database: string;
  token: string;
}

/**
 * Kept in the folder. It names the database to which the files belong, and has the token that all replicas must find.
 */
export const markFile = '.switchyard-shared.json';

/**
 * Makes sure that this replica sees the same folder as the others. The first one writes a token into the folder and stores
 * it in the database; each later one must find it. A mount that is missing looks like an empty folder, and a sweep in the
 * folder of another database would remove its files, so both are refused. Throws an error with one sentence.
 */
export async function requireSharedFolder({ folder, database, store }: SharedFolderOptions): Promise<void> {
  await requireWritable(folder);
  // Asked first: another replica that starts now writes its token into the folder before it stores it.
  const known = await store.token();
  const found = await readMark(folder);
  if (found === null && known !== null) throw wrongFolder(folder);
  const mark = found ?? (await writeMark(folder, database));
  if (mark.database !== database) {
    throw new Error(
      `files.shared_home (${folder}) holds the files of another database; give each database a folder of its own.`,
    );
  }
  if ((await store.adopt(mark.token)) !== mark.token) throw wrongFolder(folder);
}

async function requireWritable(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`files.shared_home (${folder}) cannot be used: ${why}`, { cause });
  }
}

async function readMark(folder: string): Promise<Mark | null> {
  const text = await textOf(join(folder, markFile));
  if (text === null) return null;
  const mark = parsed(text);
  if (isRecord(mark) && typeof mark.database === 'string' && typeof mark.token === 'string') {
    return { database: mark.database, token: mark.token };
  }
  throw new Error(
    `files.shared_home (${folder}) has a ${markFile} that the gateway did not write; restore that file, or choose another folder.`,
  );
}

/** Another replica may do the same at this moment: the file appears whole, and one of them writes it. */
async function writeMark(folder: string, database: string): Promise<Mark> {
  const path = join(folder, markFile);
  const draft = `${path}.${newId()}.part`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ database, token: newSecret(16) })}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path).catch(ignoreExisting);
  } finally {
    await rm(draft, { force: true });
  }
  await nodeDisk.syncDirectory(folder);
  const mark = await readMark(folder);
  if (mark === null) throw new Error(`files.shared_home (${folder}) does not keep what is written there.`);
  return mark;
}

function wrongFolder(folder: string): Error {
  return new Error(
    `files.shared_home (${folder}) is not the folder that the replicas of this database use: mount that folder here, or move all of it, with its ${markFile}, to the new place.`,
  );
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // The caller says what is wrong with it.
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
