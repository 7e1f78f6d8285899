import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';

/** The actions of an attacker on the same disk between the check of a path and its opening, and just after it. */
const attack = { beforeOpen: async () => {}, afterOpen: async () => {} };

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (...args) => {
    await attack.beforeOpen();
    const file = await real.open(...args);
    await attack.afterOpen();
    return file;
  };
  return { ...real, open };
});

// Test files share their modules. This one needs its own, created after the mock, and leaves none behind.
vi.resetModules();
const { openInside } = await import('./open-inside.ts');
afterAll(() => vi.resetModules());

let base: string;
let root: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-open-race-')));
  root = join(base, 'root');
  await mkdir(join(root, 'folder'), { recursive: true });
  await mkdir(join(base, 'outside'));
  await writeFile(join(root, 'folder', 'a.txt'), 'inside');
  await writeFile(join(base, 'outside', 'a.txt'), 'outside');
  attack.beforeOpen = async () => {};
  attack.afterOpen = async () => {};
});

afterEach(() => rm(base, { recursive: true }));

async function turnFolderIntoLink(): Promise<void> {
  await rename(join(root, 'folder'), join(root, 'folder-aside'));
  await symlink(join(base, 'outside'), join(root, 'folder'));
}

async function turnFolderBack(): Promise<void> {
  await rm(join(root, 'folder'));
  await rename(join(root, 'folder-aside'), join(root, 'folder'));
}

test('refuses a file whose folder became a link after the check', async () => {
  attack.beforeOpen = turnFolderIntoLink;
  await expect(openInside(root, 'folder/a.txt', 'read')).rejects.toMatchObject({ code: 'path_not_allowed' });
});

test('refuses it even if the folder is back in its place by then', async () => {
  attack.beforeOpen = turnFolderIntoLink;
  attack.afterOpen = turnFolderBack;
  await expect(openInside(root, 'folder/a.txt', 'read')).rejects.toMatchObject({ code: 'path_not_allowed' });
});

test('returns no file that a link made it create outside', async () => {
  attack.beforeOpen = turnFolderIntoLink;
  await expect(openInside(root, 'folder/new.txt', 'create')).rejects.toMatchObject({
    code: 'path_not_allowed',
  });
  expect(await readdir(join(root, 'folder-aside'))).toEqual(['a.txt']);
});

test('opens the file when no one interferes', async () => {
  const file = await openInside(root, 'folder/a.txt', 'read');
  expect(await file.readFile('utf8')).toBe('inside');
  await file.close();
});
