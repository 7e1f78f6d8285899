import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testNamedPipe } from '@switchyard/dev-env/named-pipe';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openInside } from './open-inside.ts';

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-open-inside-')));
  root = join(base, 'root');
  await mkdir(root);
  await writeFile(join(root, 'a.txt'), 'inside');
  await writeFile(join(base, 'secret.txt'), 'outside');
});

afterEach(() => rm(base, { recursive: true }));

test('reads a file below its root', async () => {
  const file = await openInside(root, 'a.txt', 'read');
  expect(await file.readFile('utf8')).toBe('inside');
  await file.close();
});

test('creates a file that only its owner can read', async () => {
  const file = await openInside(root, 'new.txt', 'create');
  await file.writeFile('made');
  expect((await file.stat()).mode & 0o777).toBe(0o600);
  await file.close();
  expect(await readFile(join(root, 'new.txt'), 'utf8')).toBe('made');
});

test('does not overwrite an existing file', async () => {
  await expect(openInside(root, 'a.txt', 'create')).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('inside');
});

test('creates nothing through a link, whether its target exists or not', async () => {
  await symlink(join(base, 'secret.txt'), join(root, 'link'));
  await symlink(join(base, 'new.txt'), join(root, 'link-to-nothing'));
  await expect(openInside(root, 'link', 'create')).rejects.toMatchObject({ code: 'path_not_allowed' });
  await expect(openInside(root, 'link-to-nothing', 'create')).rejects.toMatchObject({
    code: 'path_not_allowed',
  });
  await expect(readFile(join(base, 'new.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('refuses a folder', async () => {
  await mkdir(join(root, 'folder'));
  await expect(openInside(root, 'folder', 'read')).rejects.toMatchObject({ code: 'path_not_allowed' });
});

const pipes = testNamedPipe('refuses a named pipe at once instead of waiting for a writer');

test.skipIf(pipes.isSkipped)(pipes.title, async () => {
  pipes.createPipe(join(root, 'pipe'));
  await expect(openInside(root, 'pipe', 'read')).rejects.toMatchObject({ code: 'path_not_allowed' });
});

test('says that a file is missing', async () => {
  await expect(openInside(root, 'missing.txt', 'read')).rejects.toMatchObject({ code: 'ENOENT' });
});
