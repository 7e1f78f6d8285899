import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRecord } from '@switchyard/contract/is-record';
import { AppError } from '../../lib/app-error.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { dayMs } from '../../lib/time-units.ts';
import {
  type BlobStore,
  type LinkedAs,
  type OpenedContent,
  type PutOptions,
  recentMs,
  requireSha256,
  type StoredContent,
} from '../files/blob-store.ts';
import { hashContent, receiveContent } from '../files/receive-content.ts';
import type { ObjectKey, ObjectKeyStore } from './object-key-store.ts';
import { checkedBody } from './s3-body.ts';
import { S3Fault } from './s3-fault.ts';
import type { S3Objects } from './s3-objects.ts';
import { PartMemory, S3Upload } from './s3-upload.ts';

export interface S3StoreOptions {
  objects: S3Objects;
  keys: ObjectKeyStore;
  /** The name of the database, which no other database has. */
  database: string;
  /** A folder of this process alone, for files that are lent. */
  scratch: string;
  /** True when clients load content from S3 itself. */
  redirect: boolean;
  /** True when the bucket may be another one than before. What is known of that one is forgotten then. */
  isNew?: boolean;
  /** True while a backup copies content, which must stay meanwhile. */
  areDeletionsHeld?: () => Promise<boolean>;
  now: Clock;
  log: Log;
}

/** The object that names the database to which the objects belong. */
const markKey = 'switchyard.json';
const contentPrefix = 'content/';
const linkSeconds = 300;
const listedAtOnce = 500;
/** Objects without content are removed after this time: more than an upload takes, which counts from its beginning. */
const orphanMs = dayMs + recentMs;
/** An object that is replaced while a reader looks for it has a new key. */
const looks = 3;

/**
 * Content in a bucket. Each put makes an object with a new key, and a row records which content the object has. So
 * nothing is copied in the bucket, and the database decides between replicas; docs/adr/0091 has the reasons.
 */
export class S3Store implements BlobStore {
  readonly #options: S3StoreOptions;
  readonly #memory = new PartMemory();
  #claim: Promise<void> | null = null;
  #isFailing = false;

  /** Throws when the settings are wrong. A service that does not answer now is asked again with the first call. */
  static async open(options: S3StoreOptions): Promise<S3Store> {
    const { scratch } = options;
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    for (const name of await readdir(scratch)) await rm(join(scratch, name), { force: true });
    const store = new S3Store(options);
    await store.#claimed().catch((error: unknown) => {
      if (!(error instanceof S3Fault && error.isPassing)) throw error;
      store.#noteFault(error);
    });
    return store;
  }

  private constructor(options: S3StoreOptions) {
    this.#options = options;
  }

  put(source: Readable, options: PutOptions): Promise<StoredContent> {
    const { maxBytes, signal } = options;
    return receiveContent(source, options, () =>
      this.#outward(async () => {
        await this.#claimed();
        const { objects } = this.#options;
        const key = `${contentPrefix}${newId()}`;
        const upload = new S3Upload({ objects, key, memory: this.#memory, maxBytes, signal });
        try {
          const stored = await hashContent({ source, maxBytes, write: (step) => upload.write(step) });
          await this.#place(stored, { key, upload });
          return stored;
        } finally {
          await upload.close();
        }
      }),
    );
  }

  async open(sha256: string, range?: { start: number; end: number }): Promise<OpenedContent | null> {
    requireSha256(sha256);
    return this.#outward(async () => {
      for (let look = 0; look < looks; look += 1) {
        const known = await this.#options.keys.find(sha256);
        if (!known) return null;
        const opened = await this.#openObject(sha256, { ...known, range });
        if (opened) return opened;
      }
      this.#options.log.error({ sha256 }, `Content is missing in ${this.#options.objects.shown}`);
      return null;
    });
  }

  async useFile<Result>(sha256: string, work: (path: string) => Promise<Result>): Promise<Result> {
    const opened = await this.open(sha256);
    const path = join(this.#options.scratch, newId());
    try {
      if (opened) await pipeline(opened.stream, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  async link(sha256: string, { contentType, disposition }: LinkedAs): Promise<string | null> {
    requireSha256(sha256);
    const { redirect, keys, objects } = this.#options;
    const known = redirect ? await keys.find(sha256) : null;
    return known && objects.presign(known.key, { contentType, disposition, seconds: linkSeconds });
  }

  async remove(sha256: string): Promise<'removed' | 'recent' | 'absent'> {
    requireSha256(sha256);
    const { keys, now, areDeletionsHeld } = this.#options;
    if (await areDeletionsHeld?.()) return (await keys.find(sha256)) ? 'recent' : 'absent';
    // A call that stores the same content at this moment finds the row and keeps it, or makes a new object.
    const key = await keys.forget(sha256, now() - recentMs);
    if (key === null) return (await keys.find(sha256)) ? 'recent' : 'absent';
    await this.#drop(key);
    return 'removed';
  }

  async removeUnreferenced(
    referenced: (sha256s: string[]) => Promise<Set<string>>,
    signal?: AbortSignal,
  ): Promise<{ removed: number }> {
    return this.#outward(async () => {
      await this.#claimed();
      const removed = await this.#removeContent(referenced, signal);
      await this.#removeOrphans(signal);
      return { removed };
    });
  }

  /** Waits for nothing: what is being sent ends with its connection. */
  close(): void {
    this.#options.objects.close();
  }

  async #place(
    { sha256, sizeBytes: size }: StoredContent,
    { key, upload }: { key: string; upload: S3Upload },
  ): Promise<void> {
    const { keys, objects, now } = this.#options;
    const known = await keys.find(sha256);
    if (known && (await objects.sizeOf(known.key)) === size) {
      if (await keys.touch(sha256, { key: known.key, nowMs: now() })) return;
    }
    await upload.finish({ sha256, sizeBytes: size });
    const broken = known?.key ?? null;
    const kept = await keys.point(sha256, { key, size, nowMs: now(), broken });
    if (kept !== key) await this.#drop(key);
    else if (broken !== null) await this.#drop(broken);
  }

  async #openObject(
    sha256: string,
    { key, size, range }: ObjectKey & { range: { start: number; end: number } | undefined },
  ): Promise<OpenedContent | null> {
    const { objects } = this.#options;
    const incoming = await objects.open(key, range);
    if (!incoming) return null;
    const stream = checkedBody(incoming, {
      sizeBytes: range ? range.end - range.start + 1 : size,
      sha256: range ? null : sha256,
      silentMs: objects.silentMs,
      faultOf: (how) => {
        const fault = new S3Fault('damaged', `S3 ${how} for the object ${key} below ${objects.shown}.`);
        this.#options.log.error({ err: fault, sha256 }, 'Stored content could not be read');
        return fault;
      },
    });
    return { sizeBytes: size, stream };
  }

  async #removeContent(
    referenced: (sha256s: string[]) => Promise<Set<string>>,
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let removed = 0;
    let after = '';
    for (;;) {
      signal?.throwIfAborted();
      const some = await this.#options.keys.page(after, listedAtOnce);
      if (some.length === 0) return removed;
      const kept = await referenced(some);
      for (const sha256 of some) {
        if (!kept.has(sha256) && (await this.remove(sha256)) === 'removed') removed += 1;
      }
      after = some.at(-1) ?? after;
    }
  }

  /** Removes what crashes left in the bucket: objects without a row, and uploads in parts that have not ended. */
  async #removeOrphans(signal: AbortSignal | undefined): Promise<void> {
    const { objects, keys } = this.#options;
    for await (const { objects: page, theirNowMs } of objects.pages(contentPrefix, signal)) {
      const old = page.filter(({ modifiedMs }) => theirNowMs - modifiedMs > orphanMs).map(({ key }) => key);
      for (let from = 0; from < old.length; from += listedAtOnce) {
        const some = old.slice(from, from + listedAtOnce);
        const known = await keys.known(some);
        for (const key of some) if (!known.has(key)) await this.#drop(key);
      }
    }
    const { found, theirNowMs } = await objects.uploads(contentPrefix, signal);
    for (const upload of found) if (theirNowMs - upload.begunMs > orphanMs) await objects.abortParts(upload);
  }

  /** Removes an object. When that fails, the next sweep removes it. */
  async #drop(key: string): Promise<void> {
    try {
      await this.#options.objects.delete(key);
    } catch (error) {
      if (!(error instanceof S3Fault)) throw error;
      this.#noteFault(error);
    }
  }

  #claimed(): Promise<void> {
    this.#claim ??= this.#makeClaim().catch((error: unknown) => {
      this.#claim = null;
      throw error;
    });
    return this.#claim;
  }

  /** A sweep below the prefix of another database would remove its files, and another bucket has none of ours. */
  async #makeClaim(): Promise<void> {
    const { objects, keys, database, isNew } = this.#options;
    let mark = await objects.read(markKey);
    if (mark === null) {
      if (isNew) await keys.clear();
      else if (!(await keys.isEmpty()))
        throw new Error(
          `${objects.shown} has none of the files of this database; set files.s3.bucket and files.s3.prefix to where they are.`,
        );
      const body = Buffer.from(`${JSON.stringify({ database })}\n`);
      await objects.put(markKey, body, { sha256: createHash('sha256').update(body).digest('hex') });
      mark = await objects.read(markKey);
    }
    if (databaseIn(mark ?? '') === database) return;
    throw new Error(
      `${objects.shown} holds the files of another database; set another files.s3.prefix or files.s3.bucket.`,
    );
  }

  async #outward<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      if (this.#isFailing) this.#options.log.info({}, 'S3 answers again');
      this.#isFailing = false;
      return result;
    } catch (error) {
      if (!(error instanceof S3Fault)) throw error;
      this.#noteFault(error);
      throw new AppError(error.kind === 'full' ? 'storage_full' : 'file_store_unavailable', { cause: error });
    }
  }

  /** Logged once until a call succeeds: while the service is away, each call fails. */
  #noteFault(err: S3Fault): void {
    if (!this.#isFailing) this.#options.log.error({ err }, 'S3 fails');
    this.#isFailing = true;
  }
}

function databaseIn(mark: string): unknown {
  try {
    const found: unknown = JSON.parse(mark);
    return isRecord(found) ? found.database : null;
  } catch {
    return null; // The caller says that the objects are none of this database.
  }
}
