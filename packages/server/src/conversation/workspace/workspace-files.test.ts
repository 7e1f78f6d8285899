import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failingDisk } from '../../../testing/disk-faults.ts';
import type { Workspace } from '../../agents/tools/workspace.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { ThreadFolders } from './thread-folders.ts';
import { WorkspaceFiles } from './workspace-files.ts';

const ada = { userId: 'ada', threadId: 't1' };
const bytes = (text: string) => Buffer.from(text);

let home: string;
let files: Workspace;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-workspace-')));
  files = workspaceOn(nodeDisk);
});

afterEach(() => rm(home, { recursive: true }));

function workspaceOn(disk: typeof nodeDisk, reserveBytes = 0): Workspace {
  return new WorkspaceFiles(new ThreadFolders({ home, reserveBytes, disk }));
}

const root = (owner: string) => join(home, owner, 'threads/t1/user-data');

describe('a file of a thread', () => {
  test('is written below its user, read back and listed', async () => {
    await files.write(ada, '/mnt/user-data/workspace/deep/a.txt', bytes('hello'));
    expect(await readFile(join(root('users/ada'), 'workspace/deep/a.txt'), 'utf8')).toBe('hello');
    expect(await files.read(ada, '/mnt/user-data/workspace/deep/a.txt', 4)).toEqual({
      bytes: bytes('hell'),
      sizeBytes: 5,
    });
    expect(await files.list(ada, '/mnt/user-data/workspace')).toMatchObject([
      { name: 'deep', kind: 'folder', sizeBytes: 0 },
    ]);
    expect(await files.list(ada, '/mnt/user-data/workspace/deep')).toMatchObject([
      { name: 'a.txt', kind: 'file', sizeBytes: 5 },
    ]);
    expect((await stat(join(root('users/ada'), 'workspace/deep'))).mode & 0o777).toBe(0o700);
  });

  test('lies in the older layout when it has no user', async () => {
    await files.write({ userId: null, threadId: 't1' }, '/mnt/user-data/outputs/a.txt', bytes('x'));
    expect(await readdir(join(root('.'), 'outputs'))).toEqual(['a.txt']);
  });

  test('is visible to its own user and thread only', async () => {
    await files.write(ada, '/mnt/user-data/outputs/a.txt', bytes('hers'));
    for (const other of [
      { ...ada, userId: 'bob' },
      { ...ada, threadId: 't2' },
      { ...ada, userId: null },
    ])
      await expect(files.read(other, '/mnt/user-data/outputs/a.txt', 9)).rejects.toMatchObject({
        code: 'artifact_not_found',
      });
  });

  test.each(['../x', 'a/b', '', 'a.b', 'x'.repeat(65)])(
    'has no place for a thread called %j',
    async (threadId) => {
      await expect(files.list({ userId: 'ada', threadId }, '/mnt/user-data')).rejects.toThrow(
        'name of a thread',
      );
      await expect(files.list({ userId: threadId, threadId: 't1' }, '/mnt/user-data')).rejects.toThrow(
        'name of a user',
      );
    },
  );
});

describe('a file that does not fit into memory', () => {
  const path = '/mnt/user-data/outputs/big.bin';
  const pieces = Array.from({ length: 40 }, (_, index) => Buffer.alloc(100_000, index));

  test('is written and read piece by piece', async () => {
    await files.writeFrom(ada, path, { source: Readable.from(pieces), maxBytes: 4_000_000 });
    const read = Buffer.concat(await (await files.openStream(ada, path)).toArray());
    // Compared as a whole: an assertion that compares byte by byte takes half a minute.
    expect(read.equals(Buffer.concat(pieces))).toBe(true);
  });

  test('removes the drafts that a crash left an hour ago', async () => {
    await files.write(ada, path, bytes('old'));
    const folder = join(root('users/ada'), 'outputs');
    const [stale, going] = ['.upload-1.part', '.upload-2.part'].map((name) => join(folder, name));
    for (const left of [stale, going]) await writeFile(left ?? '', 'a part');
    const hourAgo = Date.now() / 1000 - 3_601;
    await utimes(stale ?? '', hourAgo, hourAgo);
    await files.writeFrom(ada, path, { source: Readable.from([bytes('new')]), maxBytes: 9 });
    expect((await readdir(folder)).sort()).toEqual(['.upload-2.part', 'big.bin']);
  });

  test('leaves the old content when the new one is too large, breaks off, or the disk is full', async () => {
    await files.write(ada, path, bytes('old'));
    const { disk, faults } = failingDisk();
    const tooLarge = Readable.from(pieces);
    await expect(files.writeFrom(ada, path, { source: tooLarge, maxBytes: 3_999_999 })).rejects.toMatchObject(
      {
        code: 'file_too_large',
      },
    );
    expect(tooLarge.destroyed).toBe(true);
    const broken = new Readable({ read: () => undefined });
    broken.destroy(new Error('gone'));
    await expect(files.writeFrom(ada, path, { source: broken, maxBytes: 9 })).rejects.toThrow('gone');
    faults.failStep(4, 'ENOSPC');
    await expect(
      workspaceOn(disk).writeFrom(ada, path, { source: Readable.from(pieces), maxBytes: 4_000_000 }),
    ).rejects.toMatchObject({ code: 'storage_full' });
    expect(await readFile(join(root('users/ada'), 'outputs/big.bin'), 'utf8')).toBe('old');
    expect(await readdir(join(root('users/ada'), 'outputs'))).toEqual(['big.bin']);
  });
});

describe('a file that is changed', () => {
  const path = '/mnt/user-data/workspace/count.txt';
  const edit = (change: (present: Buffer | null) => string, maxBytes = 1_000) =>
    files.edit(ada, path, { maxBytes, change: (present) => bytes(change(present)) });
  const content = async () => (await files.read(ada, path, 1_000)).bytes.toString();

  test('keeps every change when several are made at once, and is created by the first one', async () => {
    const seen: unknown[] = [];
    await Promise.all(
      Array.from({ length: 10 }, () =>
        edit((present) => {
          seen.push(present);
          return `${Number(present?.toString() ?? 0) + 1}`;
        }),
      ),
    );
    expect(await content()).toBe('10');
    expect(seen.filter((present) => present === null)).toHaveLength(1);
  });

  test('stays as it is when the change throws or makes it too large', async () => {
    await files.write(ada, path, bytes('12345'));
    const refuse = () => {
      throw new Error('refused');
    };
    await expect(edit(refuse)).rejects.toThrow('refused');
    await expect(edit(() => 'x', 4)).rejects.toMatchObject({ code: 'file_too_large' });
    expect(await content()).toBe('12345');
  });
});

describe('a path that a model asks for', () => {
  test.each([
    '/mnt/user-data/../../../secret.txt',
    '/mnt/user-data/workspace/../../../secret.txt',
    '/mnt/user-data/workspace/%2e%2e/secret.txt',
    '/mnt/user-data/workspace/link',
    '/mnt/user-data/workspace/folder/secret.txt',
    '/mnt/user-data/workspace/a\\b',
    '/mnt/user-data//etc/passwd',
  ])('never leads out by %s', async (path) => {
    await files.write(ada, '/mnt/user-data/workspace/a.txt', bytes('x'));
    await writeFile(join(home, 'secret.txt'), 'secret');
    const workspace = join(root('users/ada'), 'workspace');
    await symlink(join(home, 'secret.txt'), join(workspace, 'link'));
    await symlink(home, join(workspace, 'folder'));
    await expect(files.read(ada, path, 9)).rejects.toMatchObject({ code: 'path_denied' });
    await expect(files.write(ada, path, bytes('mine'))).rejects.toMatchObject({ code: 'path_denied' });
    expect(await readFile(join(home, 'secret.txt'), 'utf8')).toBe('secret');
    expect((await readdir(home)).sort()).toEqual(['secret.txt', 'users']);
  });

  test.each(['/etc/passwd', '/mnt/user-dataX/a', 'workspace/a.txt', '/'])(
    'is told the root for %s',
    async (path) => {
      for (const asked of [
        files.read(ada, path, 9),
        files.write(ada, path, bytes('x')),
        files.list(ada, path),
      ])
        await expect(asked).rejects.toThrow('Path must start with /mnt/user-data');
    },
  );

  test('is never written beside the three folders, or over a folder', async () => {
    const ours = '/mnt/user-data/outputs/.upload-1.part';
    for (const path of [
      '/mnt/user-data',
      '/mnt/user-data/a.txt',
      '/mnt/user-data/outputs',
      ours,
      `${ours}/a`,
    ])
      await expect(files.write(ada, path, bytes('x'))).rejects.toMatchObject({ code: 'path_denied' });
    await files.write(ada, '/mnt/user-data/outputs/deep/a.txt', bytes('x'));
    await expect(files.write(ada, '/mnt/user-data/outputs/deep', bytes('x'))).rejects.toMatchObject({
      code: 'path_denied',
    });
  });

  test('never leads through a link in place of one of the folders', async () => {
    await mkdir(root('users/ada'), { recursive: true });
    await mkdir(join(home, 'elsewhere'));
    await symlink(join(home, 'elsewhere'), join(root('users/ada'), 'outputs'));
    const path = '/mnt/user-data/outputs/a.txt';
    await expect(files.write(ada, path, bytes('x'))).rejects.toMatchObject({ code: 'path_denied' });
    await expect(files.list(ada, '/mnt/user-data/outputs')).rejects.toMatchObject({ code: 'path_denied' });
    expect(await readdir(join(home, 'elsewhere'))).toEqual([]);
  });
});

test('an empty thread has three empty folders', async () => {
  for (const path of ['/mnt/user-data', '/mnt/user-data/uploads', '/mnt/user-data/outputs/'])
    expect(await files.list(ada, path)).toEqual([]);
  await expect(files.list(ada, '/mnt/user-data/none')).rejects.toMatchObject({ code: 'artifact_not_found' });
});

describe('a disk', () => {
  test('that fails at any step holds the old content or the new one, and no draft', async () => {
    const path = '/mnt/user-data/outputs/a.txt';
    await files.write(ada, path, bytes('old'));
    const { disk, faults } = failingDisk();
    const failing = workspaceOn(disk);
    for (let step = 1; ; step += 1) {
      faults.failStep(step, 'EIO');
      const outcome = await failing.write(ada, path, bytes('new')).then(
        () => 'written',
        () => 'failed',
      );
      const content = await readFile(join(root('users/ada'), 'outputs/a.txt'), 'utf8');
      if (faults.failed === undefined) {
        expect([outcome, content]).toEqual(['written', 'new']);
        expect(step).toBeGreaterThan(4);
        break;
      }
      const isInPlace = faults.failed === 'syncDirectory';
      expect([faults.failed, outcome, content]).toEqual([faults.failed, 'failed', isInPlace ? 'new' : 'old']);
      expect(await readdir(join(root('users/ada'), 'outputs'))).toEqual(['a.txt']);
      await files.write(ada, path, bytes('old'));
    }
  });

  test('that is too full accepts nothing', async () => {
    const full = workspaceOn({ ...nodeDisk, freeBytes: async () => 99 }, 100);
    await expect(full.write(ada, '/mnt/user-data/outputs/a.txt', bytes('x'))).rejects.toMatchObject({
      code: 'storage_full',
    });
  });
});
