import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PoolFilesInMemory } from '../../../testing/pool-files-fixture.ts';
import { threadWorkspace } from '../../../testing/thread-workspace.ts';
import { type InputFiles, withFiles, withGraphFiles } from './workflow-inputs.ts';
import type { Workspace } from './workspace.ts';

const whose = { userId: 'ada', threadId: 't1' };
const cat = '/mnt/user-data/uploads/cat.png';
const load = (image: unknown) => ({ class_type: 'LoadImage', inputs: { image } });

let home: string;
let workspace: Workspace;
let pool: PoolFilesInMemory;
let files: InputFiles;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-inputs-'));
  workspace = threadWorkspace(home);
  pool = new PoolFilesInMemory();
  files = { pool, workspace, whose, signal: new AbortController().signal };
  await workspace.write(whose, cat, Buffer.from('a cat'));
});

afterEach(() => rm(home, { recursive: true }));

describe('a path of the thread', () => {
  it('in the params becomes a file of the owner', async () => {
    const params = await withFiles({ '1.image': cat, '1.width': 9, note: 'see /mnt/user-data' }, files);

    expect(params).toEqual({ '1.image': { $file: 'f1' }, '1.width': 9, note: 'see /mnt/user-data' });
    expect([...pool.kept]).toEqual([['f1', { userId: 'ada', filename: 'cat.png', text: 'a cat' }]]);
  });

  it('may be written in the form of a reference to a file', async () => {
    const given = { a: { $file: cat }, b: { $file: 'an-id' }, c: ['1', 0], d: null };

    expect(await withFiles(given, files)).toEqual({ ...given, a: { $file: 'f1' } });
    expect(await withGraphFiles({ workflow: { '1': load({ $file: cat }) }, params: {} }, files)).toEqual({
      '1.image': { $file: 'f1' },
    });
  });

  it('in the graph becomes a param, unless the params say something else', async () => {
    const workflow = { '1': load(cat), '2': load(cat), '3': load('of-the-worker.png'), odd: 'no node' };
    const other = '/mnt/user-data/outputs/deep/dog.png';
    await workspace.write(whose, other, Buffer.from('a dog'));

    expect(await withGraphFiles({ workflow, params: { '2.image': other } }, files)).toEqual({
      '1.image': { $file: 'f1' },
      '2.image': { $file: 'f2' },
    });
    expect([...pool.kept.values()].map(({ text }) => text)).toEqual(['a cat', 'a dog']);
  });

  it('is taken in once, however often it is named', async () => {
    expect(await withFiles({ a: cat, b: cat }, files)).toEqual({ a: { $file: 'f1' }, b: { $file: 'f1' } });
    expect(await withFiles({ a: cat }, files)).toEqual({ a: { $file: 'f1' } });
    expect(pool.kept.size).toBe(1);
  });

  it('that leads to no file gets an error with the files that exist', async () => {
    await workspace.write(whose, '/mnt/user-data/uploads/dog.png', Buffer.from('a dog'));

    await expect(withFiles({ a: '/mnt/user-data/uploads/cow.png' }, files)).rejects.toMatchObject({
      code: 'input_not_found',
      message:
        'There is no file /mnt/user-data/uploads/cow.png. /mnt/user-data/uploads holds cat.png, dog.png.',
    });
    await expect(withFiles({ a: '/mnt/user-data/outputs/x.png' }, files)).rejects.toThrow(
      '/mnt/user-data/outputs holds no files.',
    );
  });

  it('never leads to files of another user or thread', async () => {
    for (const other of [
      { ...whose, userId: 'bob' },
      { ...whose, threadId: 't2' },
    ]) {
      await expect(withFiles({ a: cat }, { ...files, whose: other })).rejects.toThrow('holds no files');
      for (const path of ['../../../../ada/threads/t1/user-data/uploads/cat.png', '%2e%2e/t1/cat.png'])
        await expect(
          withFiles({ a: `/mnt/user-data/uploads/${path}` }, { ...files, whose: other }),
        ).rejects.toMatchObject({ code: 'path_denied' });
    }
    expect(pool.kept.size).toBe(0);
  });

  it('is no longer taken in once the run was stopped', async () => {
    const signal = AbortSignal.abort(new Error('stopped'));

    await expect(withFiles({ a: cat }, { ...files, signal })).rejects.toThrow('stopped');
    expect(pool.kept.size).toBe(0);
  });

  it('is refused when there are too many, before any is taken in', async () => {
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`p${at}`, `${cat}${at}`]));

    await expect(withFiles(many, files)).rejects.toMatchObject({ code: 'too_many_files' });
    expect(pool.kept.size).toBe(0);
  });
});
