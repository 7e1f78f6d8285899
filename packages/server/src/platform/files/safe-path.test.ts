import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveInside, safeSegments } from './safe-path.ts';

let base: string;
let root: string;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-safe-path-')));
  root = join(base, 'root');
  await mkdir(join(root, 'folder'), { recursive: true });
  await mkdir(join(base, 'root-beside'));
  await writeFile(join(root, 'folder', 'file.txt'), 'inside');
  await writeFile(join(base, 'secret.txt'), 'outside');
  await symlink(join(base, 'secret.txt'), join(root, 'link-out'));
  await symlink(base, join(root, 'folder-out'));
  await symlink(join(base, 'root-beside'), join(root, 'beside'));
  await symlink(join(base, 'not-there'), join(root, 'link-to-nothing'));
  await symlink(join(root, 'folder'), join(root, 'folder-in'));
  await symlink(join(root, 'loop'), join(root, 'loop'));
});

afterAll(() => rm(base, { recursive: true }));

describe('resolveInside', () => {
  test('returns the path of an existing and of a missing file', async () => {
    expect(await resolveInside(root, 'folder/file.txt')).toBe(join(root, 'folder', 'file.txt'));
    expect(await resolveInside(root, 'new/deep/file.txt')).toBe(join(root, 'new', 'deep', 'file.txt'));
  });

  test('follows a link that stays inside to the real path', async () => {
    expect(await resolveInside(root, 'folder-in/file.txt')).toBe(join(root, 'folder', 'file.txt'));
  });

  test('accepts a root that is reached through a link', async () => {
    await symlink(root, join(base, 'root-link'));
    expect(await resolveInside(join(base, 'root-link'), 'folder/file.txt')).toBe(
      join(root, 'folder', 'file.txt'),
    );
  });

  test.each([
    ['a link to a file outside', 'link-out'],
    ['a folder that leads outside', 'folder-out/secret.txt'],
    ['a new file behind a folder that leads outside', 'folder-out/new.txt'],
    ['a folder outside whose name begins like the root', 'beside/new.txt'],
    ['a link to nothing, which a write would create outside', 'link-to-nothing'],
    ['a link to itself', 'loop'],
    ['a path through a file', 'folder/file.txt/deeper'],
  ])('refuses %s', async (_, path) => {
    await expect(resolveInside(root, path)).rejects.toMatchObject({ code: 'path_not_allowed' });
  });

  test('gives the reason without telling where the files are', async () => {
    const error = await resolveInside(root, 'link-out').catch((reason: Error) => reason);
    expect(String(error)).toContain('leads out of its folder');
    expect(JSON.stringify(error)).not.toContain(base);
    expect(String(error)).not.toContain(base);
  });
});

describe('safeSegments', () => {
  test.each([
    'a.png',
    'folder/a.png',
    '.hidden',
    'ComfyUI_00001_.png',
    '100% sure.txt',
    'Übung 2：图片.png',
    '...a',
    'a..b',
  ])('accepts %j', (path) => {
    expect(safeSegments(path).join('/')).toBe(path);
  });

  test.each([
    ['', 'empty'],
    ['/etc/passwd', 'absolute'],
    ['a//b', 'an empty part'],
    ['a/', 'a trailing slash'],
    ['.', 'a dot'],
    ['../secret', 'a step up'],
    ['a/../../secret', 'a step up in the middle'],
    ['..\\secret', 'a backslash'],
    ['a\0.png', 'NUL'],
    ['a\nb', 'a line feed'],
    ['C:', 'a drive'],
    ['C:/windows', 'a drive with a path'],
    ['file.txt:stream', 'an NTFS stream'],
    ['file.txt::$DATA', 'an NTFS data stream'],
    ['name.', 'a trailing dot'],
    ['name ', 'a trailing space'],
    ['...', 'dots that Windows drops'],
    ['.. /secret', 'a step up that Windows sees'],
    ['con', 'a device'],
    ['NUL.txt', 'a device with an extension'],
    ['aux .tar.gz', 'a device with a space'],
    ['folder/com1', 'a device in a folder'],
    ['LPT¹', 'a device with a superscript'],
    ['conin$', 'the console'],
    ['%2e%2e', 'an encoded step up'],
    ['%2E%2e%2fsecret', 'an encoded path'],
    ['%252e%252e', 'a doubly encoded step up'],
    ['a%5cb', 'an encoded backslash'],
    ['a%00.png', 'an encoded NUL'],
    ['．．', 'full-width dots'],
    ['a／b', 'a full-width slash'],
    ['\ud800', 'half a character'],
    ['x'.repeat(256), 'a part that is too long'],
    [`${'a/'.repeat(40)}b`, 'too many folders'],
    [`${'x/'.repeat(30)}${'y'.repeat(5_000)}`, 'a path that is too long'],
  ])('refuses %j: %s', (path) => {
    expect(() => safeSegments(path)).toThrowError(expect.objectContaining({ code: 'path_not_allowed' }));
  });

  test('never returns segments that lead out of a folder, for any text', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      '%2e',
      '%2f',
      '%',
      'a',
      '\0',
      ' ',
      ':',
      '．',
      '／',
      'con',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join('')),
        ),
        (path) => {
          const segments = segmentsOrNone(path);
          const joined = join(`${sep}root`, ...segments);
          expect(joined === `${sep}root` || joined.startsWith(`${sep}root${sep}`)).toBe(true);
          expect(joined.split(sep)).toHaveLength(segments.length + 2);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function segmentsOrNone(path: string): string[] {
  try {
    return safeSegments(path);
  } catch {
    return ['nothing'];
  }
}
