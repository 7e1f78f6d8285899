import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { failingDisk } from '../../../testing/disk-faults.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { type Disk, nodeDisk } from '../../platform/files/disk.ts';
import { threadNotFound } from '../threads/thread.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { Artifacts } from './artifacts.ts';
import type { UploadPart } from './receive-uploads.ts';
import { ThreadFolders } from './thread-folders.ts';
import { Uploads } from './uploads.ts';
import { WorkspaceFiles } from './workspace-files.ts';

const ada: Owner = { user: 'ada' };
const signal = new AbortController().signal;

let home: string;
/** Returns whether the thread still exists when the code asks. */
let exists: () => boolean;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-uploads-'));
  exists = () => true;
});

afterEach(() => rm(home, { recursive: true, force: true }));

function uploadsOn(disk: Disk, reserveBytes = 0): Uploads {
  const folders = new ThreadFolders({ home, reserveBytes, disk });
  return new Uploads({
    folders,
    files: new WorkspaceFiles(folders),
    access: {
      require: async (_owner, threadId) => {
        if (!exists()) throw threadNotFound(threadId);
        return null;
      },
    },
    makeThread: async () => undefined,
    limits: { files: 10, fileBytes: 1_000_000, totalBytes: 1_000_000 },
    clock: systemClock,
  });
}

async function* partsOf(files: Record<string, string>): AsyncGenerator<UploadPart> {
  for (const [filename, content] of Object.entries(files)) {
    yield { type: 'file', fieldname: 'files', filename, file: Readable.from([Buffer.from(content)]) };
  }
}

const add = (uploads: Uploads, files: Record<string, string>) =>
  uploads.add(ada, 't1', { parts: partsOf(files), signal });
const folder = () => join(home, 'users/ada/threads/t1/user-data/uploads');
const contents = async () =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder())).map(async (name) => [name, await readFile(join(folder(), name), 'utf8')]),
    ),
  );

test('a disk that fails at any step leaves whole files only, and no upload is reported that does not exist', async () => {
  const { disk, faults } = failingDisk();
  for (let step = 1; ; step += 1) {
    await rm(home, { recursive: true, force: true });
    await add(uploadsOn(nodeDisk), { 'a.txt': 'old' });
    faults.failStep(step, 'ENOSPC');
    const outcome = await add(uploadsOn(disk), { 'a.txt': 'new', 'b.txt': 'other' }).catch(
      (error: unknown) => error,
    );
    const found = await contents();
    if (faults.failed === undefined) {
      expect(outcome).toMatchObject({ success: true });
      expect(found).toEqual({ 'a.txt': 'new', 'b.txt': 'other' });
      expect(step).toBeGreaterThan(10);
      return;
    }
    expect(outcome, faults.failed).toMatchObject({ code: 'ENOSPC' });
    expect(Object.keys(found).every((name) => ['a.txt', 'b.txt'].includes(name))).toBe(true);
    expect(['old', 'new']).toContain(found['a.txt']);
    expect(['other', undefined]).toContain(found['b.txt']);
  }
});

test('a disk that is too full accepts nothing', async () => {
  const full = uploadsOn({ ...nodeDisk, freeBytes: async () => 99 }, 100);
  await expect(add(full, { 'a.txt': 'a' })).rejects.toMatchObject({ code: 'storage_full' });
  expect(await readdir(folder())).toEqual([]);
});

test('simultaneous requests that send the same name twice lose none of their files', async () => {
  const uploads = uploadsOn(nodeDisk);
  const twice = (one: string, two: string) =>
    uploads.add(ada, 't1', {
      parts: (async function* () {
        yield* partsOf({ 'a.txt': one });
        yield* partsOf({ 'a.txt': two });
      })(),
      signal,
    });
  await Promise.all([twice('1', '2'), twice('3', '4')]);
  const found = await contents();
  expect(Object.keys(found).sort()).toEqual(['a.txt', 'a_1.txt', 'a_2.txt']);
  expect([found['a_1.txt'], found['a_2.txt']].sort()).toEqual(['2', '4']);
});

test('a thread that is deleted before its uploads have arrived keeps none of them', async () => {
  const uploads = uploadsOn(nodeDisk);
  let asked = 0;
  exists = () => {
    asked += 1;
    return false;
  };
  await expect(add(uploads, { 'a.txt': 'a' })).rejects.toMatchObject({ code: 'thread_not_found' });
  expect(asked).toBe(1);
  expect(await readdir(join(home, 'users/ada/threads'))).toEqual([]);
});

test('a text that is edited while its thread is deleted does not come back', async () => {
  const folders = new ThreadFolders({ home, reserveBytes: 0, disk: nodeDisk });
  const files = new WorkspaceFiles(folders);
  await files.write({ userId: 'ada', threadId: 't1' }, '/mnt/user-data/outputs/a.md', Buffer.from('old'));
  let asked = 0;
  const access: Pick<ThreadAccess, 'require'> = {
    require: async (_owner, threadId) => {
      asked += 1;
      if (asked > 1) throw threadNotFound(threadId);
      return null;
    },
  };
  const expected_sha256 = createHash('sha256').update('old').digest('hex');
  const edit = { path: 'mnt/user-data/outputs/a.md', content: 'new', expected_sha256 };
  await expect(new Artifacts({ folders, files, access }).edit(ada, 't1', edit)).rejects.toMatchObject({
    code: 'thread_not_found',
  });
  expect(await readdir(join(home, 'users/ada/threads'))).toEqual([]);
});
