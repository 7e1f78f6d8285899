import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blobStoreConformance } from '../../../testing/blob-store-conformance.ts';
import { diskWithFile, failingDisk } from '../../../testing/disk-faults.ts';
import { hourMs } from '../../lib/time-units.ts';
import { ContentStore, type ContentStoreOptions } from './content-store.ts';
import { type Disk, nodeDisk } from './disk.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'switchyard-content-'));
});

afterEach(() => rm(root, { recursive: true }));

blobStoreConformance('on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-blobs-'));
  const open = () => ContentStore.open({ root: folder, reserveBytes: 0, isShared: true });
  return {
    here: await open(),
    there: await open(),
    stored: () => filesBelow(folder),
    age: (sha256) => makeOld(sha256, folder),
    close: () => rm(folder, { recursive: true }),
  };
});

function openStore(options: Partial<ContentStoreOptions> = {}) {
  return ContentStore.open({ root, reserveBytes: 0, isShared: false, ...options });
}

const limits = { maxBytes: 1_000_000 };
const content = Buffer.from('the content of a file');
const sha256 = hashOf(content);
const stepsOfPut = ['freeBytes', 'open', 'write', 'sync', 'close', 'rename', 'syncDirectory'];
const twoHours = 2 * hourMs;

describe('put', () => {
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

describe('removing content from the disk', () => {
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

  test('leaves files alone that are not blobs', async () => {
    const store = await openStore();
    await writeFile(join(root, '00', 'not-ours.txt'), 'left alone');
    expect(await store.removeUnreferenced(async () => new Set())).toEqual({ removed: 0 });
    expect(await filesBelow(root)).toEqual(['not-ours.txt']);
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

async function makeOld(name: string, folder = root): Promise<void> {
  const then = (Date.now() - twoHours) / 1000;
  await utimes(join(folder, name.slice(0, 2), name), then, then);
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
