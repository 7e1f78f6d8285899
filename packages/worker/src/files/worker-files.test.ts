import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WorkerFiles } from './worker-files.ts';

let dir: string;
let files: WorkerFiles;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'worker-files-'));
  files = new WorkerFiles(dir);
  await files.open();
});

afterEach(async () => {
  await rm(dir, { recursive: true });
});

const bytes = Buffer.from('x');
const save = async (prefix: string) =>
  (await files.save('output', prefix, { extension: 'png', bytes })).filename;

describe('save', () => {
  it('continues after the highest existing number', async () => {
    await writeFile(join(dir, 'output', 'cat_00041_.png'), '');
    await writeFile(join(dir, 'output', 'cat_sleeps.png'), '');
    await writeFile(join(dir, 'output', 'catalogue_00099_.png'), '');
    expect([await save('cat'), await save('cat'), await save('dog')]).toEqual([
      'cat_00042_.png',
      'cat_00043_.png',
      'dog_00001_.png',
    ]);
  });

  it('never overwrites a file, even when another program numbers in the same folder', async () => {
    await save('cat');
    await writeFile(join(dir, 'output', 'cat_00002_.png'), 'theirs');
    expect(await save('cat')).toBe('cat_00003_.png');
  });

  it('gives each of many files a name of its own when they are saved at once', async () => {
    const names = await Promise.all(Array.from({ length: 20 }, () => save('cat')));
    expect(new Set(names).size).toBe(20);
  });

  it('creates the folders of a prefix', async () => {
    const saved = await files.save('output', 'a/b/cat', { extension: 'png', bytes });
    expect(saved).toEqual({ filename: 'cat_00001_.png', subfolder: 'a/b', type: 'output' });
    expect(await readdir(join(dir, 'output', 'a', 'b'))).toEqual(['cat_00001_.png']);
  });

  it.each(['../cat', '/tmp/cat', 'a/../../cat', '..', '', 'a\\..\\cat', 'c\0at', 'x'.repeat(300)])(
    'writes nothing for the prefix %j',
    async (prefix) => {
      await expect(save(prefix)).rejects.toThrow();
      expect(await readdir(join(dir, 'output'))).toEqual([]);
    },
  );

  it('does not follow a link out of the folder', async () => {
    await mkdir(join(dir, 'elsewhere'));
    await symlink(join(dir, 'elsewhere'), join(dir, 'output', 'door'));
    await expect(save('door/cat')).rejects.toThrow('through a link');
    expect(await readdir(join(dir, 'elsewhere'))).toEqual([]);
  });
});

describe('find', () => {
  it('finds files, not folders', async () => {
    await mkdir(join(dir, 'input', 'folder'));
    await writeFile(join(dir, 'input', 'folder', 'a.png'), '');
    expect(await files.find({ filename: 'a.png', subfolder: 'folder', type: 'input' })).toBe(
      join(dir, 'input', 'folder', 'a.png'),
    );
    expect(await files.find({ filename: 'folder', subfolder: '', type: 'input' })).toBeUndefined();
    expect(await files.find({ filename: 'b.png', subfolder: 'none', type: 'input' })).toBeUndefined();
  });

  it.each([
    ['../worker.json', ''],
    ['worker.json', '..'],
    ['passwd', '/etc'],
    ['a/b', ''],
    ['.', ''],
  ])('refuses %j in %j', async (filename, subfolder) => {
    await expect(files.find({ filename, subfolder, type: 'input' })).rejects.toThrow();
  });

  it('refuses a link that leads out', async () => {
    await writeFile(join(dir, 'secret.txt'), 'secret');
    await symlink(join(dir, 'secret.txt'), join(dir, 'input', 'link.txt'));
    await expect(files.find({ filename: 'link.txt', subfolder: '', type: 'input' })).rejects.toThrow(
      'outside',
    );
    expect(await files.findAnnotated('link.txt')).toBeUndefined();
  });
});

describe('findAnnotated', () => {
  it('looks in input unless the name says otherwise', async () => {
    for (const area of ['input', 'output', 'temp']) await writeFile(join(dir, area, 'a.png'), '');
    expect(await files.findAnnotated('a.png')).toBe(join(dir, 'input', 'a.png'));
    expect(await files.findAnnotated('a.png [output]')).toBe(join(dir, 'output', 'a.png'));
    expect(await files.findAnnotated('a.png [temp]')).toBe(join(dir, 'temp', 'a.png'));
    expect(await files.findAnnotated('../output/a.png')).toBeUndefined();
    expect(await files.findAnnotated('')).toBeUndefined();
  });
});

describe('open and close', () => {
  it('delete temporary files and unfinished uploads, and keep the rest', async () => {
    await writeFile(join(dir, 'temp', 'a.png'), '');
    await writeFile(join(dir, 'parts', 'half'), '');
    await writeFile(join(dir, 'output', 'kept.png'), '');
    await files.open();
    expect([await readdir(join(dir, 'temp')), await readdir(join(dir, 'parts'))]).toEqual([[], []]);
    expect(await readdir(join(dir, 'output'))).toEqual(['kept.png']);
  });
});
