import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore, OpenedContent } from '../src/platform/files/blob-store.ts';

export interface BlobStores {
  /** Two replicas on the same content. */
  here: BlobStore;
  there: BlobStore;
  /** The hashes of what is stored, and the names of anything else that was left behind. */
  stored: () => Promise<string[]>;
  /** Lets content count as stored two hours ago. */
  age: (sha256: string) => Promise<void>;
  close: () => Promise<void>;
}

const content = Buffer.from('the content of a file');
const sha256 = hashOf(content);
const limits = { maxBytes: 1_000_000 };

/** The guarantees of a store of blobs, for every place where it keeps them. */
export function blobStoreConformance(name: string, openStores: () => Promise<BlobStores>): void {
  describe(`blobs ${name}`, () => {
    let stores: BlobStores;
    let here: BlobStore;
    let there: BlobStore;

    beforeEach(async () => {
      stores = await openStores();
      ({ here, there } = stores);
    });

    afterEach(() => stores.close());

    describe('put and open', () => {
      test('every replica gives back what one has stored, under the hash of its content', async () => {
        const put = await here.put(streamOf(content), limits);
        expect(put).toEqual({ sha256, sizeBytes: content.length, head: content });
        for (const store of [here, there]) {
          const opened = await store.open(sha256);
          expect(opened?.sizeBytes).toBe(content.length);
          expect(await contentOf(opened)).toEqual(content);
        }
      });

      test('stores an empty file', async () => {
        const put = await here.put(streamOf(), limits);
        expect(put).toEqual({ sha256: hashOf(Buffer.alloc(0)), sizeBytes: 0, head: Buffer.alloc(0) });
        expect(await contentOf(await there.open(put.sha256))).toEqual(Buffer.alloc(0));
      });

      test('returns the first 512 bytes, whatever the chunks of the source are', async () => {
        const bytes = randomBytes(2_000);
        const put = await here.put(
          streamOf(bytes.subarray(0, 100), bytes.subarray(100, 700), bytes.subarray(700)),
          limits,
        );
        expect(put.head).toEqual(bytes.subarray(0, 512));
        expect(put.sha256).toBe(hashOf(bytes));
      });

      test('stores one big chunk completely', async () => {
        const bytes = randomBytes(3_000_001);
        const put = await here.put(streamOf(bytes), { maxBytes: 5_000_000 });
        expect(put.sha256).toBe(hashOf(bytes));
        expect(bytes.equals(await contentOf(await there.open(put.sha256)))).toBe(true);
      });

      test('gives a part of a file', async () => {
        await here.put(streamOf(content), limits);
        const opened = await there.open(sha256, { start: 4, end: 10 });
        expect(opened?.sizeBytes).toBe(content.length);
        expect(await contentOf(opened)).toEqual(content.subarray(4, 11));
      });

      test('returns null for missing content, and accepts only a hash as a name', async () => {
        expect(await here.open(sha256)).toBeNull();
        await expect(here.open('../../etc/passwd')).rejects.toThrow('no SHA-256');
        await expect(here.useFile('../../etc/passwd', async () => undefined)).rejects.toThrow('no SHA-256');
        await expect(here.remove(sha256.toUpperCase())).rejects.toThrow('no SHA-256');
      });

      test('lends content that another replica has stored as a file', async () => {
        await here.put(streamOf(content), limits);
        expect(await there.useFile(sha256, (path) => readFile(path))).toEqual(content);
      });

      test('replicas that store the same content at once keep it once and whole', async () => {
        const bytes = randomBytes(400_000);
        const inPieces = (): Readable =>
          streamOf(
            ...Array.from({ length: 40 }, (_, index) => bytes.subarray(index * 10_000, (index + 1) * 10_000)),
          );
        const puts = await Promise.all(
          Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? here : there).put(inPieces(), limits)),
        );
        expect(new Set(puts.map((put) => put.sha256))).toEqual(new Set([hashOf(bytes)]));
        expect(await stores.stored()).toEqual([hashOf(bytes)]);
        for (const store of [here, there])
          expect(bytes.equals(await contentOf(await store.open(hashOf(bytes))))).toBe(true);
      });
    });

    describe('a refused upload leaves nothing behind', () => {
      test('a file that is announced too large, before a byte is read', async () => {
        const source = endlessStream();
        await expect(here.put(source, { maxBytes: 10, declaredBytes: 11 })).rejects.toMatchObject({
          code: 'file_too_large',
          details: { maxBytes: 10 },
        });
        expect(source.destroyed).toBe(true);
        expect(source.readableDidRead).toBe(false);
        expect(await stores.stored()).toEqual([]);
      });

      test('a file that turns out too large, as soon as it does', async () => {
        const source = endlessStream();
        await expect(here.put(source, limits)).rejects.toMatchObject({ code: 'file_too_large' });
        expect(source.destroyed).toBe(true);
        expect(await stores.stored()).toEqual([]);
      });

      test('a file of exactly the maximum size is stored', async () => {
        const exactly = { maxBytes: content.length };
        await expect(here.put(streamOf(content), exactly)).resolves.toMatchObject({ sha256 });
      });

      test('a sender that disconnects in the middle', async () => {
        const source = endlessStream();
        const put = here.put(source, { maxBytes: Number.MAX_SAFE_INTEGER });
        source.once('data', () => undefined);
        setImmediate(() => source.destroy(new Error('connection reset')));
        await expect(put).rejects.toThrow('connection reset');
        expect(await stores.stored()).toEqual([]);
      });

      test('a sender that was gone before the first read', async () => {
        const source = endlessStream();
        source.on('error', () => undefined);
        source.destroy(new Error('connection reset'));
        await expect(here.put(source, limits)).rejects.toThrow('connection reset');
        expect(await stores.stored()).toEqual([]);
      });

      test('an upload that is aborted while its sender is silent', async () => {
        const controller = new AbortController();
        const source = new Readable({ read: () => undefined });
        source.push('some bytes');
        const put = here.put(source, { ...limits, signal: controller.signal });
        setTimeout(() => controller.abort(new Error('deadline')), 5);
        await expect(put).rejects.toThrow('deadline');
        expect(source.destroyed).toBe(true);
        expect(await stores.stored()).toEqual([]);
      });

      test('an upload whose signal was already aborted', async () => {
        const signal = AbortSignal.abort(new Error('deadline'));
        await expect(here.put(streamOf(content), { ...limits, signal })).rejects.toThrow('deadline');
        expect(await stores.stored()).toEqual([]);
      });
    });

    describe('removal', () => {
      test('removes old content for every replica', async () => {
        await here.put(streamOf(content), limits);
        await stores.age(sha256);
        expect(await there.remove(sha256)).toBe('removed');
        expect(await here.remove(sha256)).toBe('absent');
        expect(await here.open(sha256)).toBeNull();
        expect(await stores.stored()).toEqual([]);
      });

      test('keeps content that may belong to a row about to be committed', async () => {
        await here.put(streamOf(content), limits);
        expect(await there.remove(sha256)).toBe('recent');
        expect(await contentOf(await here.open(sha256))).toEqual(content);
      });

      test('keeps old content that another replica has just stored again', async () => {
        await here.put(streamOf(content), limits);
        await stores.age(sha256);
        await here.put(streamOf(content), limits);
        expect(await there.remove(sha256)).toBe('recent');
        expect(await contentOf(await here.open(sha256))).toEqual(content);
      });

      test('never takes content away from a replica that stores it at the same moment', async () => {
        for (let round = 0; round < 20; round += 1) {
          await here.put(streamOf(content), limits);
          await stores.age(sha256);
          await Promise.all([there.put(streamOf(content), limits), here.remove(sha256)]);
          expect(await contentOf(await here.open(sha256))).toEqual(content);
        }
      });

      test('a reader that has begun reads to the end while another replica removes the content', async () => {
        const bytes = randomBytes(900_000);
        const { sha256: large } = await here.put(streamOf(bytes), limits);
        await stores.age(large);
        const opened = await here.open(large);
        expect(await there.remove(large)).toBe('removed');
        expect(bytes.equals(await contentOf(opened))).toBe(true);
      });

      test('removes only what no row names and what is old enough', async () => {
        const named = await here.put(streamOf(Buffer.from('named')), limits);
        const orphan = await here.put(streamOf(Buffer.from('orphan')), limits);
        const fresh = await here.put(streamOf(Buffer.from('fresh')), limits);
        await stores.age(named.sha256);
        await stores.age(orphan.sha256);
        const asked: string[] = [];
        const result = await there.removeUnreferenced(async (sha256s) => {
          asked.push(...sha256s);
          return new Set([named.sha256]);
        });
        expect(result).toEqual({ removed: 1 });
        expect(asked.sort()).toEqual([named.sha256, orphan.sha256, fresh.sha256].sort());
        expect((await stores.stored()).sort()).toEqual([named.sha256, fresh.sha256].sort());
      });

      test('replicas that sweep at once remove each thing once', async () => {
        for (let index = 0; index < 10; index += 1) {
          const { sha256: each } = await here.put(streamOf(Buffer.from(`orphan ${index}`)), limits);
          await stores.age(each);
        }
        const none = async (): Promise<Set<string>> => new Set();
        const swept = await Promise.all([here, there].map((store) => store.removeUnreferenced(none)));
        expect(swept.reduce((sum, { removed }) => sum + removed, 0)).toBe(10);
        expect(await stores.stored()).toEqual([]);
      });
    });
  });
}

function streamOf(...chunks: Buffer[]): Readable {
  return Readable.from(chunks, { objectMode: false });
}

async function contentOf(opened: OpenedContent | null): Promise<Buffer> {
  if (!opened) throw new Error('There is no content.');
  return buffer(opened.stream);
}

function endlessStream(): Readable {
  return new Readable({
    read() {
      setImmediate(() => this.push(Buffer.alloc(64 * 1024)));
    },
  });
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
