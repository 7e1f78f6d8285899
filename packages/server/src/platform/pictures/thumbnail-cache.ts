import { mkdir, open, readdir, readFile, rename, stat, statfs, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import { isDiskFull } from '../files/write-blob.ts';

interface ThumbnailCacheOptions {
  root: string;
  maxFiles: number;
  maxBytes: number;
  /** Space left free on the disk; with less, nothing is kept. */
  reserveBytes: number;
  clock?: Clock;
}

const namePattern = /^([0-9a-f]{64})-\d+\.webp$/;
const draftPattern = /\.part$/;
/** A draft this old belongs to a process that died. */
const draftAgeMs = 60 * 60 * 1000;
const lookedAtOnce = 64;
const askedAtOnce = 500;

/**
 * Small pictures by the content that they were made from, `<root>/<sha256>-<size>.webp`. They can always be made again,
 * so the oldest used go when there are too many, and nothing depends on one of them being there.
 */
export class ThumbnailCache {
  readonly #options: Required<ThumbnailCacheOptions>;
  /** The sizes in bytes, from the oldest used to the newest. */
  readonly #sizes = new Map<string, number>();
  #totalBytes = 0;
  #reading: Promise<void> | undefined;

  constructor({ clock = systemClock, ...options }: ThumbnailCacheOptions) {
    this.#options = { ...options, clock };
  }

  async read(sha256: string, edge: number): Promise<Buffer | null> {
    await this.#ready();
    const name = nameOf(sha256, edge);
    const size = this.#sizes.get(name);
    if (size === undefined) return null;
    try {
      const bytes = await readFile(this.#pathOf(name));
      this.#note(name, bytes.length);
      const now = new Date(this.#options.clock());
      await utimes(this.#pathOf(name), now, now);
      return bytes;
    } catch (error) {
      if (!isMissing(error)) throw error;
      this.#forget(name);
      return null;
    }
  }

  /** A disk that is nearly full keeps nothing: the thumbnail is made again when it is asked for again. */
  async keep(sha256: string, edge: number, bytes: Buffer): Promise<void> {
    await this.#ready();
    const { root, reserveBytes } = this.#options;
    const { bavail, bsize } = await statfs(root);
    if (bavail * bsize - bytes.length < reserveBytes) return;
    const name = nameOf(sha256, edge);
    try {
      await writeWhole(join(root, `${newId()}.part`), this.#pathOf(name), bytes);
    } catch (error) {
      if (isDiskFull(error)) return;
      throw error;
    }
    this.#note(name, bytes.length);
    await this.#makeRoom();
  }

  /** Removes the thumbnails of contents that `referenced` does not name. */
  async removeUnreferenced(
    referenced: (sha256s: string[]) => Promise<Set<string>>,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#ready();
    const names = [...this.#sizes.keys()];
    for (let from = 0; from < names.length && !signal.aborted; from += askedAtOnce) {
      const some = names.slice(from, from + askedAtOnce);
      const kept = await referenced([...new Set(some.map(contentOf))]);
      for (const name of some) if (!kept.has(contentOf(name))) await this.#remove(name);
    }
  }

  /** Reads the folder at the first use. An error is that user's alone: the next use tries again. */
  async #ready(): Promise<void> {
    this.#reading ??= this.#readFolder();
    try {
      await this.#reading;
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
  }

  async #readFolder(): Promise<void> {
    await mkdir(this.#options.root, { recursive: true, mode: 0o700 });
    const found: { name: string; size: number; usedMs: number }[] = [];
    const names = await readdir(this.#options.root);
    for (let from = 0; from < names.length; from += lookedAtOnce) {
      const some = await Promise.all(names.slice(from, from + lookedAtOnce).map((name) => this.#look(name)));
      found.push(...some.filter((entry) => entry !== null));
    }
    found.sort((a, b) => a.usedMs - b.usedMs);
    for (const { name, size } of found) this.#note(name, size);
    await this.#makeRoom();
  }

  async #look(name: string): Promise<{ name: string; size: number; usedMs: number } | null> {
    const path = this.#pathOf(name);
    try {
      const { size, mtimeMs } = await stat(path);
      if (draftPattern.test(name) && this.#options.clock() - mtimeMs > draftAgeMs) await unlink(path);
      return namePattern.test(name) ? { name, size, usedMs: mtimeMs } : null;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #makeRoom(): Promise<void> {
    const { maxFiles, maxBytes } = this.#options;
    for (const name of this.#sizes.keys()) {
      if (this.#sizes.size <= maxFiles && this.#totalBytes <= maxBytes) return;
      await this.#remove(name);
    }
  }

  async #remove(name: string): Promise<void> {
    this.#forget(name);
    try {
      await unlink(this.#pathOf(name));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  #note(name: string, size: number): void {
    this.#forget(name);
    this.#sizes.set(name, size);
    this.#totalBytes += size;
  }

  #forget(name: string): void {
    this.#totalBytes -= this.#sizes.get(name) ?? 0;
    this.#sizes.delete(name);
  }

  #pathOf(name: string): string {
    return join(this.#options.root, name);
  }
}

/** Another reader sees the whole file or none, also after a power cut. */
async function writeWhole(draft: string, path: string, bytes: Buffer): Promise<void> {
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    // The first error counts. What is left behind goes when the folder is read again.
    await unlink(draft).catch(() => undefined);
    throw error;
  }
}

function nameOf(sha256: string, edge: number): string {
  const name = `${sha256}-${edge}.webp`;
  if (!namePattern.test(name)) throw new Error('A thumbnail was asked for by something that is no SHA-256.');
  return name;
}

function contentOf(name: string): string {
  return name.slice(0, 64);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
