import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import { newId } from '../../lib/ids.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { isDiskFull, writeBlob } from '../../platform/files/write-blob.ts';
import { filesOf, type Manifest, manifestFormat, parts, readManifest } from './backup-manifest.ts';
import { isGone } from './home-files.ts';

export const markFile = 'switchyard-backups.json';
/** A backup whose name begins so was broken off. The next one removes it. */
const draftPrefix = '.unfinished-';
/** The time at which it was taken. */
const namePattern = /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z$/;
/** The entries of a new file system, and the lock of this process. */
const ownEntries = new Set(['lost+found', 'backup.lock', 'backup.lock.json']);
const sha256Pattern = /^[0-9a-f]{64}$/;

/**
 * A folder with the backups of one gateway. Each has a folder of its own, named after its time. All files lie in `content`
 * by the hash of their content, so backups share what has not changed.
 */
export class BackupFolder {
  readonly path: string;
  readonly #content: string;
  readonly #incoming: string;
  /** The folders in which this process has made names that are not on the disk for certain yet. */
  readonly #unsynced = new Set<string>();

  constructor(path: string) {
    this.path = path;
    this.#content = join(path, 'content');
    this.#incoming = join(path, 'content', 'incoming');
  }

  /** Makes the folder ready to take a backup. Throws for one that holds something else, or the backups of another gateway. */
  async claim(gateway: string | null): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    const mark = await this.#mark();
    if (mark === null) {
      const entries = (await readdir(this.path)).filter((name) => !ownEntries.has(name));
      if (entries.length > 0)
        throw new Error(`${this.path} holds something else than backups. Name an empty or a new folder.`);
      await writePart(this.path, markFile, markText(gateway));
    } else if (mark.gateway !== gateway)
      throw new Error(
        `${this.path} holds the backups of another gateway. Name a folder of its own for each gateway.`,
      );
    await rm(this.#incoming, { recursive: true, force: true });
    await mkdir(this.#incoming, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.path))
      if (name.startsWith(draftPrefix)) await rm(join(this.path, name), { recursive: true });
  }

  async #mark(): Promise<{ gateway: unknown } | null> {
    try {
      const mark: unknown = JSON.parse(await readFile(join(this.path, markFile), 'utf8'));
      if (isRecord(mark)) return { gateway: mark.gateway };
      throw new Error('It is not an object.');
    } catch (cause) {
      if (isGone(cause)) return null;
      const says = `${join(this.path, markFile)} is damaged. Name another folder, and restore from this one.`;
      throw new Error(says, { cause });
    }
  }

  /** Returns the names of the whole backups, the oldest first. */
  async names(): Promise<string[]> {
    try {
      const names = (await readdir(this.path)).filter((name) => namePattern.test(name));
      return names.filter((name) => existsSync(join(this.path, name, parts.manifest))).sort();
    } catch (error) {
      if (isGone(error)) return [];
      throw error;
    }
  }

  partOf(name: string, part: string): string {
    return join(this.path, name, part);
  }

  /** Returns a folder for the parts of a new backup, which `finish` gives its name. */
  async begin(): Promise<string> {
    const draft = join(this.path, draftPrefix + newId());
    await mkdir(draft, { mode: 0o700 });
    return draft;
  }

  /** Returns the path of the backup. */
  async finish(draft: string, manifest: Manifest): Promise<string> {
    for (const folder of this.#unsynced) await nodeDisk.syncDirectory(folder);
    await writePart(draft, parts.manifest, `${JSON.stringify(manifest, null, 2)}\n`);
    const path = join(this.path, nameOf(manifest));
    await rename(draft, path);
    await nodeDisk.syncDirectory(this.path);
    return path;
  }

  async has(sha256: string, bytes: number): Promise<boolean> {
    const found = await nodeDisk.look(this.contentPath(sha256));
    return found !== null && found.sizeBytes === bytes;
  }

  /** Copies a file into the folder unless it is there. `pause` is called again every 16 MB. */
  async keep(source: Readable, pause: () => Promise<void>): Promise<{ sha256: string; bytes: number }> {
    const temporary = join(this.#incoming, newId());
    try {
      const { sha256, sizeBytes } = await writeBlob(nodeDisk, temporary, {
        source,
        maxBytes: Number.POSITIVE_INFINITY,
        requireSpace: pause,
      });
      const shard = join(this.#content, sha256.slice(0, 2));
      if (!this.#unsynced.has(shard)) {
        await mkdir(shard, { recursive: true, mode: 0o700 });
        this.#unsynced.add(shard).add(this.#content);
      }
      await rename(temporary, this.contentPath(sha256));
      return { sha256, bytes: sizeBytes };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  /** Removes the backups before the latest `count`, and all content that none of those has. */
  async keepLatest(count = Number.POSITIVE_INFINITY): Promise<{ backups: number; files: number }> {
    const names = await this.names();
    const old = names.slice(0, Math.max(0, names.length - count));
    const removed = { backups: old.length, files: 0 };
    if (count === Number.POSITIVE_INFINITY) return removed;
    const kept = await this.#contentOf(names.slice(old.length));
    for (const name of old) {
      const draft = join(this.path, draftPrefix + newId());
      await rename(join(this.path, name), draft);
      await rm(draft, { recursive: true });
    }
    for (const shard of (await readdir(this.#content)).filter((name) => name.length === 2))
      for (const sha256 of await readdir(join(this.#content, shard)))
        if (!kept.has(sha256)) {
          await rm(join(this.#content, shard, sha256));
          removed.files += 1;
        }
    return removed;
  }

  async #contentOf(names: readonly string[]): Promise<Set<string>> {
    const kept = new Set<string>();
    for (const name of names) {
      const path = this.partOf(name, parts.manifest);
      let { count } = readManifest(await readFile(path, 'utf8'), join(this.path, name)).files;
      for await (const { sha256 } of filesOf(this.partOf(name, parts.list))) {
        kept.add(sha256);
        count -= 1;
      }
      if (count !== 0)
        throw new Error(`${join(this.path, name)} is damaged, so nothing was removed. Remove its folder.`);
    }
    return kept;
  }

  /** There is nothing to remove: the next backup goes on with what one that has failed leaves. */
  async close(): Promise<void> {}

  open(sha256: string): Readable {
    return createReadStream(this.contentPath(sha256));
  }

  contentPath(sha256: string): string {
    return join(this.path, contentPlace(sha256));
  }
}

/** The only place where a hash becomes a path. A list that is damaged must not lead elsewhere. */
export function contentPlace(sha256: string): string {
  if (!sha256Pattern.test(sha256)) throw new Error('The list of files of the backup is damaged.');
  return `content/${sha256.slice(0, 2)}/${sha256}`;
}

export function markText(gateway: string | null): string {
  return `${JSON.stringify({ format: manifestFormat, gateway })}\n`;
}

export function nameOf({ takenAt }: Manifest): string {
  return takenAt.replaceAll(':', '');
}

export async function writePart(folder: string, name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text, { mode: 0o600, flush: true });
  await nodeDisk.syncDirectory(folder);
}

/** Returns one sentence for the error of a disk that is full, and any other error as it is. */
export function explainFull(error: unknown, path: string): unknown {
  const isFull =
    isDiskFull(error) ||
    (error instanceof AppError && error.code === 'storage_full') ||
    (error instanceof Error && /disk is full/i.test(error.message)); // SQLite has a message of its own.
  if (!isFull) return error;
  const says = `The disk of ${path} is full. Make room, and run the command again.`;
  return new Error(says, { cause: error });
}

/** Makes the content of a file, and its length, outlive a crash. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

export async function bytesOf(path: string): Promise<number> {
  return (await stat(path)).size;
}
