import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import {
  type BlobStore,
  isSha256,
  type OpenedContent,
  type PutOptions,
  recentMs,
  requireSha256,
  type StoredContent,
} from './blob-store.ts';
import { areDeletionsHeld } from './deletion-hold.ts';
import { type Disk, nodeDisk } from './disk.ts';
import { receiveContent } from './receive-content.ts';
import { isDiskFull, writeBlob } from './write-blob.ts';

export interface ContentStoreOptions {
  root: string;
  /** Space left free on the disk, so that uploads never take the last page from a database on it. */
  reserveBytes: number;
  /** True when several replicas write into this folder: what they have not finished must not be removed. */
  isShared: boolean;
  /** The number of bytes that are read at a time; 64 kB without it. */
  readBytes?: number;
  now?: Clock;
  disk?: Disk;
}

const listedAtOnce = 500;

/**
 * Files by the hash of their content: `<root>/<first two digits>/<sha256>`, with equal content stored once. When `put`
 * resolves, name and bytes are on the disk and outlive a crash; docs/adr/0010 describes the order of syncs and how
 * blobs are removed.
 */
export class ContentStore implements BlobStore {
  readonly #root: string;
  readonly #incoming: string;
  readonly #reserveBytes: number;
  readonly #readOptions: { highWaterMark?: number };
  readonly #now: Clock;
  readonly #disk: Disk;

  static async open(options: ContentStoreOptions): Promise<ContentStore> {
    const store = new ContentStore(options);
    await store.#makeDirectories();
    await store.#sweepIncoming(options.isShared ? recentMs : 0);
    return store;
  }

  private constructor({
    root,
    reserveBytes,
    readBytes,
    now = systemClock,
    disk = nodeDisk,
  }: ContentStoreOptions) {
    this.#readOptions = readBytes === undefined ? {} : { highWaterMark: readBytes };
    this.#root = root;
    this.#incoming = join(root, 'incoming');
    this.#reserveBytes = reserveBytes;
    this.#now = now;
    this.#disk = disk;
  }

  put(source: Readable, options: PutOptions): Promise<StoredContent> {
    return receiveContent(source, options, async () => {
      try {
        return await this.#store(source, options);
      } catch (error) {
        throw isDiskFull(error) ? new AppError('storage_full', { cause: error }) : error;
      }
    });
  }

  async open(sha256: string, range?: { start: number; end: number }): Promise<OpenedContent | null> {
    const handle = await this.#openToRead(this.#pathOf(sha256));
    if (!handle) return null;
    try {
      const { size } = await handle.stat();
      return { sizeBytes: size, stream: handle.createReadStream({ ...range, ...this.#readOptions }) };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async useFile<Result>(sha256: string, work: (path: string) => Promise<Result>): Promise<Result> {
    return work(this.#pathOf(sha256));
  }

  async link(): Promise<null> {
    return null;
  }

  async remove(sha256: string): Promise<'removed' | 'recent' | 'absent'> {
    const path = this.#pathOf(sha256);
    const found = await this.#disk.look(path);
    if (!found) return 'absent';
    if (this.#isRecent(found.modifiedMs) || (await areDeletionsHeld(this.#root, this.#disk))) return 'recent';
    return this.#takeOut(path);
  }

  async removeUnreferenced(
    referenced: (sha256s: string[]) => Promise<Set<string>>,
    signal?: AbortSignal,
  ): Promise<{ removed: number }> {
    let removed = 0;
    for (const shard of shards()) {
      const names = (await this.#disk.list(join(this.#root, shard))).filter(isSha256);
      for (let from = 0; from < names.length; from += listedAtOnce) {
        signal?.throwIfAborted();
        const some = names.slice(from, from + listedAtOnce);
        const kept = await referenced(some);
        for (const sha256 of some) {
          if (!kept.has(sha256) && (await this.remove(sha256)) === 'removed') removed += 1;
        }
      }
    }
    return { removed };
  }

  async #store(source: Readable, options: PutOptions): Promise<StoredContent> {
    await this.#requireSpace(options.declaredBytes ?? 0);
    const temporary = join(this.#incoming, newId());
    try {
      const stored = await writeBlob(this.#disk, temporary, {
        source,
        maxBytes: options.maxBytes,
        requireSpace: () => this.#requireSpace(0),
      });
      await this.#disk.rename(temporary, this.#pathOf(stored.sha256));
      await this.#disk.syncDirectory(join(this.#root, shardOf(stored.sha256)));
      return stored;
    } catch (error) {
      // A failure to clean up must not hide the original error. The sweep at the next start finds the rest.
      await this.#unlinkIfThere(temporary).catch(() => undefined);
      throw error;
    }
  }

  async #requireSpace(neededBytes: number): Promise<void> {
    const freeBytes = await this.#disk.freeBytes(this.#root);
    if (freeBytes - neededBytes < this.#reserveBytes) throw new AppError('storage_full');
  }

  /**
   * Checks again once no one can reach the blob, because the same content may have been stored since the first check.
   */
  async #takeOut(path: string): Promise<'removed' | 'recent' | 'absent'> {
    const taken = join(this.#incoming, newId());
    try {
      await this.#disk.rename(path, taken);
    } catch (error) {
      if (isMissing(error)) return 'absent';
      throw error;
    }
    const found = await this.#disk.look(taken);
    if (found && this.#isRecent(found.modifiedMs)) {
      await this.#disk.rename(taken, path);
      return 'recent';
    }
    await this.#unlinkIfThere(taken);
    return 'removed';
  }

  #isRecent(modifiedMs: number): boolean {
    return this.#now() - modifiedMs < recentMs;
  }

  async #openToRead(path: string): Promise<FileHandle | null> {
    try {
      return await this.#disk.open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #unlinkIfThere(path: string): Promise<void> {
    try {
      await this.#disk.unlink(path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /**
   * Creates all directories at once, so that a put never creates one: a new directory would have to be synced into its
   * parent.
   */
  async #makeDirectories(): Promise<void> {
    await this.#disk.makeDirectory(this.#incoming);
    const there = new Set(await this.#disk.list(this.#root));
    const missing = shards().filter((shard) => !there.has(shard));
    for (const shard of missing) await this.#disk.makeDirectory(join(this.#root, shard));
    if (missing.length > 0) await this.#disk.syncDirectory(this.#root);
  }

  async #sweepIncoming(olderThanMs: number): Promise<void> {
    for (const name of await this.#disk.list(this.#incoming)) {
      const path = join(this.#incoming, name);
      const found = await this.#disk.look(path);
      if (found && this.#now() - found.modifiedMs >= olderThanMs) await this.#unlinkIfThere(path);
    }
  }

  /** The only place where a hash becomes a path. */
  #pathOf(sha256: string): string {
    requireSha256(sha256);
    return join(this.#root, shardOf(sha256), sha256);
  }
}

function shardOf(sha256: string): string {
  return sha256.slice(0, 2);
}

function shards(): string[] {
  return Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
