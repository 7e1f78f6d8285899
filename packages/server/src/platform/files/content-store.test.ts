import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diskWithFile, failingDisk } from '../../../testing/disk-faults.ts';
import { hourMs } from '../../lib/time-units.ts';
import { ContentStore, type ContentStoreOptions } from './content-store.ts';
import { type Disk, nodeDisk } from './disk.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'switchyard-content-'));
});

afterEach(() => rm(root, { recursive: true }));

function openStore(options: Partial<ContentStoreOptions> = {}) {
  return ContentStore.open({ root, reserveBytes: 0, isShared: false, ...options });
}

const limits = { maxBytes: 1_000_000 };
const content = Buffer.from('the content of a file');
const sha256 = hashOf(content);
const stepsOfPut = ['freeBytes', 'open', 'write', 'sync', 'close', 'rename', 'syncDirectory'];
const twoHours = 2 * hourMs;

describe('put and open', () => {
  test('gives back what was stored, under the hash of its content', async () => {
    const store = await openStore();
    const stored = await store.put(streamOf(content), limits);
    expect(stored).toEqual({ sha256, sizeBytes: content.length, head: content });
    const opened = await store.open(sha256);
    expect(opened?.sizeBytes).toBe(content.length);
    expect(await contentOf(opened)).toEqual(content);
  });

  test('stores an empty file', async () => {
    const store = await openStore();
    const stored = await store.put(streamOf(), limits);
    expect(stored).toEqual({ sha256: hashOf(Buffer.alloc(0)), sizeBytes: 0, head: Buffer.alloc(0) });
    expect(await contentOf(await store.open(stored.sha256))).toEqual(Buffer.alloc(0));
  });

  test('returns the first 512 bytes, whatever the chunks of the source are', async () => {
    const store = await openStore();
    const bytes = randomBytes(2_000);
    const stored = await store.put(
      streamOf(bytes.subarray(0, 100), bytes.subarray(100, 700), bytes.subarray(700)),
      limits,
    );
    expect(stored.head).toEqual(bytes.subarray(0, 512));
    expect(stored.sha256).toBe(hashOf(bytes));
  });

  test('stores one big chunk completely', async () => {
    const store = await openStore();
    const bytes = randomBytes(3_000_001);
    const stored = await store.put(streamOf(bytes), { maxBytes: 5_000_000 });
    expect(stored.sha256).toBe(hashOf(bytes));
    expect(bytes.equals(await contentOf(await store.open(stored.sha256)))).toBe(true);
  });

  test('keeps equal content only once', async () => {
    const store = await openStore();
    await Promise.all([1, 2, 3].map(() => store.put(streamOf(content), limits)));
    expect(await filesBelow(root)).toEqual([sha256]);
  });

  test('gives a part of a file', async () => {
    const store = await openStore();
    await store.put(streamOf(content), limits);
    const opened = await store.open(sha256, { start: 4, end: 10 });
    expect(opened?.sizeBytes).toBe(content.length);
    expect(await contentOf(opened)).toEqual(content.subarray(4, 11));
  });

  test('returns null for a missing file, and accepts only a hash as a name', async () => {
    const store = await openStore();
    expect(await store.open(sha256)).toBeNull();
    await expect(store.open('../../etc/passwd')).rejects.toThrow('no SHA-256');
    await expect(store.remove(sha256.toUpperCase())).rejects.toThrow('no SHA-256');
  });

  test('writes no faster than the disk, and reads ahead only as much as the stream buffers', async () => {
    let producedBytes = 0;
    let writtenBytes = 0;
    let furthestAheadBytes = 0;
    const store = await openStore({
      disk: diskWithFile((file) => {
        const write = file.write.bind(file) as (...args: unknown[]) => Promise<{ bytesWritten: number }>;
        return {
          write: async (...args: unknown[]) => {
            const written = await write(...args);
            writtenBytes += written.bytesWritten;
            return written;
          },
        };
      }),
    });
    const chunkBytes = 64 * 1024;
    async function* produce(): AsyncGenerator<Buffer> {
      for (let index = 0; index < 500; index += 1) {
        producedBytes += chunkBytes;
        furthestAheadBytes = Math.max(furthestAheadBytes, producedBytes - writtenBytes);
        yield Buffer.alloc(chunkBytes, index);
      }
    }
    await store.put(Readable.from(produce(), { highWaterMark: 2 }), { maxBytes: 500 * chunkBytes });
    expect(writtenBytes).toBe(500 * chunkBytes);
    expect(furthestAheadBytes).toBeLessThanOrEqual(8 * chunkBytes);
  });
});

describe('a refused upload leaves nothing behind', () => {
  test('a file that is announced too large, before a byte is read', async () => {
    const store = await openStore();
    const source = endlessStream();
    await expect(store.put(source, { maxBytes: 10, declaredBytes: 11 })).rejects.toMatchObject({
      code: 'file_too_large',
      details: { maxBytes: 10 },
    });
    expect(source.destroyed).toBe(true);
    expect(source.readableDidRead).toBe(false);
    expect(await filesBelow(root)).toEqual([]);
  });

  test('a file that turns out too large, as soon as it does', async () => {
    const store = await openStore();
    const source = endlessStream();
    await expect(store.put(source, limits)).rejects.toMatchObject({ code: 'file_too_large' });
    expect(source.destroyed).toBe(true);
    expect(await filesBelow(root)).toEqual([]);
  });

  test('a file of exactly the maximum size is stored', async () => {
    const store = await openStore();
    await expect(store.put(streamOf(content), { maxBytes: content.length })).resolves.toMatchObject({
      sha256,
    });
  });

  test('a sender that disconnects in the middle', async () => {
    const store = await openStore();
    const source = endlessStream();
    const put = store.put(source, { maxBytes: Number.MAX_SAFE_INTEGER });
    source.once('data', () => undefined);
    setImmediate(() => source.destroy(new Error('connection reset')));
    await expect(put).rejects.toThrow('connection reset');
    expect(await filesBelow(root)).toEqual([]);
  });

  test('a sender that was gone before the first read', async () => {
    const store = await openStore();
    const source = endlessStream();
    source.on('error', () => undefined);
    source.destroy(new Error('connection reset'));
    await expect(store.put(source, limits)).rejects.toThrow('connection reset');
    expect(await filesBelow(root)).toEqual([]);
  });

  test('an upload that is aborted while its sender is silent', async () => {
    const store = await openStore();
    const controller = new AbortController();
    const source = new Readable({ read: () => undefined });
    source.push('some bytes');
    const put = store.put(source, { ...limits, signal: controller.signal });
    setTimeout(() => controller.abort(new Error('deadline')), 5);
    await expect(put).rejects.toThrow('deadline');
    expect(source.destroyed).toBe(true);
    expect(await filesBelow(root)).toEqual([]);
  });

  test('an upload whose signal was already aborted', async () => {
    const store = await openStore();
    const signal = AbortSignal.abort(new Error('deadline'));
    await expect(store.put(streamOf(content), { ...limits, signal })).rejects.toThrow('deadline');
    expect(await filesBelow(root)).toEqual([]);
  });
});

describe('a disk that is full or broken', () => {
  test('is reported as storage_full when less than the reserve would be left', async () => {
    const disk: Disk = { ...nodeDisk, freeBytes: async () => 1_000 };
    const store = await openStore({ disk, reserveBytes: 900 });
    await expect(store.put(streamOf(content), { ...limits, declaredBytes: 101 })).rejects.toMatchObject({
      code: 'storage_full',
    });
    await expect(store.put(streamOf(content), { ...limits, declaredBytes: 100 })).resolves.toMatchObject({
      sha256,
    });
  });

  test('is noticed in the middle of a large upload of unknown size', async () => {
    let asked = 0;
    const disk: Disk = {
      ...nodeDisk,
      freeBytes: async () => {
        asked += 1;
        return asked < 3 ? 1_000 : 0;
      },
    };
    const store = await openStore({ disk, reserveBytes: 1 });
    await expect(store.put(endlessStream(), { maxBytes: 2 ** 30 })).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(await filesBelow(root)).toEqual([]);
  });

  test('completes a write that the disk accepted only in part', async () => {
    const store = await openStore({
      disk: diskWithFile((file) => {
        const write = file.write.bind(file) as (...args: unknown[]) => Promise<{ bytesWritten: number }>;
        return {
          write: (bytes: unknown, from: unknown, length: unknown) =>
            write(bytes, from, Math.min(Number(length), 7)),
        };
      }),
    });
    await store.put(streamOf(content), limits);
    expect(await contentOf(await store.open(sha256))).toEqual(content);
  });

  test.each([
    ['ENOSPC', 'storage_full'],
    ['EDQUOT', 'storage_full'],
    ['EIO', 'EIO'],
  ])(
    'fails a put with a clear error when any step of it fails with %s, and works afterwards',
    async (code, expected) => {
      const { disk, faults } = failingDisk();
      const store = await openStore({ disk });
      const failedSteps: string[] = [];
      for (;;) {
        faults.failStep(failedSteps.length + 1, code);
        const outcome = await store
          .put(streamOf(content), limits)
          .catch((error: { code: string }) => error.code);
        if (faults.failed === undefined) break;
        failedSteps.push(faults.failed);
        expect({ step: faults.failed, outcome }).toEqual({ step: faults.failed, outcome: expected });
        expect(await readdir(join(root, 'incoming'))).toEqual([]);
      }
      expect(failedSteps).toEqual(stepsOfPut);
      faults.failNothing();
      expect(await contentOf(await store.open(sha256))).toEqual(content);
    },
  );

  test('syncs the bytes before they get their name, and the name before it resolves', async () => {
    const { disk, faults } = failingDisk();
    const store = await openStore({ disk });
    faults.failNothing();
    await store.put(streamOf(content), limits);
    expect(faults.steps).toEqual(stepsOfPut);
  });
});

describe('removing content', () => {
  test('removes a blob that is older than the grace period', async () => {
    const store = await openStore({ now: () => Date.now() + twoHours });
    await store.put(streamOf(content), limits);
    expect(await store.remove(sha256)).toBe('removed');
    expect(await store.remove(sha256)).toBe('absent');
    expect(await filesBelow(root)).toEqual([]);
  });

  test('keeps a blob that may belong to a row about to be committed', async () => {
    const store = await openStore();
    await store.put(streamOf(content), limits);
    expect(await store.remove(sha256)).toBe('recent');
    expect(await contentOf(await store.open(sha256))).toEqual(content);
  });

  test('keeps an old blob whose content has just been stored again', async () => {
    const store = await openStore();
    await store.put(streamOf(content), limits);
    await makeOld(sha256);
    await store.put(streamOf(content), limits);
    expect(await store.remove(sha256)).toBe('recent');
  });

  test('restores a blob that was stored again between the check and the removal', async () => {
    const other = await openStore();
    const store = await openStore({
      disk: {
        ...nodeDisk,
        rename: async (from, to) => {
          if (String(from).endsWith(sha256)) await other.put(streamOf(content), limits);
          return nodeDisk.rename(from, to);
        },
      },
    });
    await store.put(streamOf(content), limits);
    await makeOld(sha256);
    expect(await store.remove(sha256)).toBe('recent');
    expect(await contentOf(await store.open(sha256))).toEqual(content);
  });

  test('removes only blobs that no row names and that are old enough', async () => {
    const store = await openStore();
    const named = await store.put(streamOf(Buffer.from('named')), limits);
    const orphan = await store.put(streamOf(Buffer.from('orphan')), limits);
    const fresh = await store.put(streamOf(Buffer.from('fresh')), limits);
    await makeOld(named.sha256);
    await makeOld(orphan.sha256);
    await writeFile(join(root, '00', 'not-ours.txt'), 'left alone');
    const asked: string[] = [];
    const result = await store.removeUnreferenced(async (sha256s) => {
      asked.push(...sha256s);
      return new Set([named.sha256]);
    });
    expect(result).toEqual({ removed: 1 });
    expect(asked.sort()).toEqual([named.sha256, orphan.sha256, fresh.sha256].sort());
    expect((await filesBelow(root)).sort()).toEqual(['not-ours.txt', named.sha256, fresh.sha256].sort());
  });
});

describe('at start', () => {
  test('removes the unfinished uploads of the previous process', async () => {
    await mkdir(join(root, 'incoming'), { recursive: true });
    await writeFile(join(root, 'incoming', 'torn'), 'half a file');
    await openStore();
    expect(await filesBelow(root)).toEqual([]);
  });

  test("leaves other replicas' uploads alone until an hour after the last write to them", async () => {
    await mkdir(join(root, 'incoming'), { recursive: true });
    await writeFile(join(root, 'incoming', 'in-progress'), 'half a file');
    await openStore({ isShared: true });
    expect(await filesBelow(root)).toEqual(['in-progress']);
    await openStore({ isShared: true, now: () => Date.now() + twoHours });
    expect(await filesBelow(root)).toEqual([]);
  });
});

async function makeOld(name: string): Promise<void> {
  const then = (Date.now() - twoHours) / 1000;
  await utimes(join(root, name.slice(0, 2), name), then, then);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function contentOf(opened: { stream: Readable } | null): Promise<Buffer> {
  if (!opened) throw new Error('The content is not there.');
  return buffer(opened.stream);
}

function streamOf(...chunks: Buffer[]): Readable {
  return Readable.from(chunks, { objectMode: false });
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
