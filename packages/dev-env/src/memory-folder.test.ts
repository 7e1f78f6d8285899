import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryFolder } from './memory-folder.ts';
import { temporaryFolder } from './temporary-folder.ts';

let disk: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  disk = temporaryFolder();
});
afterEach(() => disk.remove());

const account = process.getuid?.();
const mounted = (type: string, options: string): string =>
  `proc /proc proc rw 0 0\n${type} ${disk.path} ${type} ${options} 0 0\n`;

it('is made when a disk in memory allows files to be executed', () => {
  const folder = memoryFolder({ disk: disk.path, account, mounts: mounted('tmpfs', 'rw,nosuid') });
  expect(readdirSync(disk.path).map((name) => join(disk.path, name))).toEqual([folder]);
  expect(statSync(folder ?? '').mode & 0o777).toBe(0o755);
});

it.each([
  ['tmpfs', 'rw,noexec'],
  ['tmpfs', 'ro'],
  ['ext4', 'rw'],
])('is not made on %s with %s', (type, options) => {
  expect(memoryFolder({ disk: disk.path, account, mounts: mounted(type, options) })).toBeUndefined();
  expect(readdirSync(disk.path)).toEqual([]);
});

it('is not made when there is no disk in memory', () => {
  expect(
    memoryFolder({ disk: join(disk.path, 'shm'), account, mounts: mounted('tmpfs', 'rw') }),
  ).toBeUndefined();
});

it('replaces the folders that killed processes have left, and no others', () => {
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const left = join(disk.path, `switchyard-${ended}-abcdef`);
  const inUse = join(disk.path, `switchyard-${process.pid}-abcdef`);
  const foreign = join(disk.path, `switchyard-pg-${ended}`);
  for (const folder of [left, inUse, foreign]) mkdirSync(folder);
  memoryFolder({ disk: disk.path, account, mounts: mounted('tmpfs', 'rw') });
  expect([left, inUse, foreign].map((folder) => existsSync(folder))).toEqual([false, true, true]);
});

it('leaves the folders of other accounts, which it may not remove', () => {
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const foreign = join(disk.path, `switchyard-${ended}-abcdef`);
  mkdirSync(foreign);
  memoryFolder({ disk: disk.path, account: (account ?? 0) + 1, mounts: mounted('tmpfs', 'rw') });
  expect(existsSync(foreign)).toBe(true);
});
