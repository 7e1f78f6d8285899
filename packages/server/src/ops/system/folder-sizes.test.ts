import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { FolderSizes, type MeasuredFolders } from './folder-sizes.ts';

const time = new ManualTime();
let home: ReturnType<typeof temporaryFolder>;
const opened: FolderSizes[] = [];

beforeEach(() => {
  home = temporaryFolder();
  write('users/ann/threads/t/a.txt', 100);
  write('users/ann/threads/t/deep/b.txt', 20);
  write('users/bob/memory.json', 3);
  write('thumbnails/x.webp', 40);
  write('gateway.json', 5);
  write('files/aa/content', 1_000);
  write('switchyard.db', 1_000);
  symlinkSync(join(home.path, 'files'), join(home.path, 'users/bob/link'));
});

afterEach(async () => {
  for (const sizes of opened.splice(0)) await sizes.close();
  home.remove();
});

function write(path: string, bytes: number): void {
  mkdirSync(join(home.path, path, '..'), { recursive: true });
  writeFileSync(join(home.path, path), 'x'.repeat(bytes));
}

function newSizes(maxFiles?: number, homes = [home.path]): FolderSizes {
  const onFault = (error: unknown): void => {
    throw error;
  };
  const sizes = new FolderSizes({ homes, clock: time.now, onFault, ...(maxFiles && { maxFiles }) });
  opened.push(sizes);
  return sizes;
}

function plain(measured: MeasuredFolders | null): unknown {
  return measured && { ...measured, byUser: Object.fromEntries(measured.byUser) };
}

test('folders are measured once they are asked for, without links and without what is counted elsewhere', async () => {
  const sizes = newSizes();
  expect(sizes.last()).toBeNull();
  await expect
    .poll(() => plain(sizes.last()))
    .toEqual({
      takenAtMs: time.now(),
      isComplete: true,
      byUser: { ann: 120, bob: 3 },
      thumbnails: 40,
      other: 5,
    });
});

test('the files of a user count once, wherever the replicas keep what they share', async () => {
  const inside = join(home.path, 'shared');
  write('shared/users/ann/threads/t/c.txt', 7);
  const sizes = newSizes(undefined, [home.path, inside]);
  await expect.poll(() => plain(sizes.last())).toMatchObject({ byUser: { ann: 127, bob: 3 }, other: 5 });
});

test('a result is used for ten minutes, and then replaced in the background', async () => {
  const sizes = newSizes();
  await expect.poll(() => sizes.last()).not.toBeNull();
  write('users/ann/new.txt', 1_000);
  time.advance(599_000);
  expect(sizes.last()?.byUser.get('ann')).toBe(120);
  time.advance(1_000);
  expect(sizes.last()?.byUser.get('ann')).toBe(120);
  await expect.poll(() => sizes.last()?.byUser.get('ann')).toBe(1_120);
});

test('a walk that meets more files than its limit says that it is not complete', async () => {
  const sizes = newSizes(2);
  await expect.poll(() => sizes.last()?.isComplete).toBe(false);
});
