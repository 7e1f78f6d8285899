import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ThumbnailCache } from './thumbnail-cache.ts';

let folder: ReturnType<typeof temporaryFolder>;
let root: string;
let nowMs: number;

beforeEach(() => {
  folder = temporaryFolder();
  root = join(folder.path, 'thumbnails');
  nowMs = Date.parse('2030-01-01T00:00:00.000Z');
});
afterEach(() => folder.remove());

const open = (limits: Partial<{ maxFiles: number; maxBytes: number; reserveBytes: number }> = {}) =>
  new ThumbnailCache({
    root,
    maxFiles: 100,
    maxBytes: 1_000_000,
    reserveBytes: 0,
    clock: () => (nowMs += 1_000),
    ...limits,
  });
const content = (n: number) => n.toString(16).padStart(64, '0');
const bytes = (text: string) => Buffer.from(text);
const forever = new AbortController().signal;

it('returns what was kept, by content and size, also after a restart', async () => {
  const cache = open();
  expect(await cache.read(content(1), 64)).toBeNull();
  await cache.keep(content(1), 64, bytes('small'));
  await cache.keep(content(1), 256, bytes('large'));
  expect(String(await cache.read(content(1), 64))).toBe('small');
  expect(String(await open().read(content(1), 256))).toBe('large');
  expect(await cache.read(content(2), 64)).toBeNull();
  expect(readdirSync(root).sort()).toEqual([`${content(1)}-256.webp`, `${content(1)}-64.webp`]);
});

it('drops those that were not used for the longest time when there are too many', async () => {
  const cache = open({ maxFiles: 3 });
  for (const n of [1, 2, 3]) await cache.keep(content(n), 64, bytes('x'));
  await cache.read(content(1), 64);
  await cache.keep(content(4), 64, bytes('x'));
  expect(await cache.read(content(2), 64)).toBeNull();
  expect(await cache.read(content(1), 64)).not.toBeNull();
  expect(readdirSync(root)).toHaveLength(3);
});

it('remembers after a restart which of them were used last', async () => {
  const first = open();
  for (const n of [1, 2, 3]) await first.keep(content(n), 64, bytes('x'));
  for (const n of [2, 3, 1]) await first.read(content(n), 64);
  const cache = open({ maxFiles: 2 });
  expect(await cache.read(content(2), 64)).toBeNull();
  expect(await cache.read(content(3), 64)).not.toBeNull();
  expect(await cache.read(content(1), 64)).not.toBeNull();
});

it('drops the oldest above its size in bytes', async () => {
  const cache = open({ maxBytes: 10 });
  await cache.keep(content(1), 64, bytes('123456'));
  await cache.keep(content(2), 64, bytes('1234'));
  await cache.keep(content(2), 64, bytes('1234'));
  expect(readdirSync(root)).toHaveLength(2);
  await cache.keep(content(3), 64, bytes('1'));
  expect(await cache.read(content(1), 64)).toBeNull();
  expect(await cache.read(content(2), 64)).not.toBeNull();
});

it('keeps nothing on a disk that is nearly full', async () => {
  const cache = open({ reserveBytes: Number.MAX_SAFE_INTEGER });
  await cache.keep(content(1), 64, bytes('x'));
  expect(await cache.read(content(1), 64)).toBeNull();
  expect(readdirSync(root)).toEqual([]);
});

it('forgets a file that another process has removed', async () => {
  const cache = open();
  await cache.keep(content(1), 64, bytes('x'));
  rmSync(join(root, `${content(1)}-64.webp`));
  expect(await cache.read(content(1), 64)).toBeNull();
});

it('removes the drafts of a process that died, and leaves those of one that may still write', async () => {
  mkdirSync(root, { recursive: true });
  const [old, young] = [join(root, 'old.part'), join(root, 'young.part')];
  writeFileSync(old, 'x');
  writeFileSync(young, 'x');
  utimesSync(old, new Date(nowMs - 7_200_000), new Date(nowMs - 7_200_000));
  utimesSync(young, new Date(nowMs), new Date(nowMs));
  await open().read(content(1), 64);
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

it('removes the thumbnails of contents that no file has', async () => {
  const cache = open();
  for (const n of [1, 2]) await cache.keep(content(n), 64, bytes('x'));
  await cache.keep(content(2), 256, bytes('x'));
  await cache.removeUnreferenced(async () => new Set([content(1)]), forever);
  expect(readdirSync(root)).toEqual([`${content(1)}-64.webp`]);
  expect(await cache.read(content(2), 64)).toBeNull();
});

it('takes no name that leads out of its folder', async () => {
  await expect(open().read('../../etc/passwd', 64)).rejects.toThrow('no SHA-256');
});
