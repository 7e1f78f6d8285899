import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PoolFilesInMemory } from '../../../testing/pool-files-fixture.ts';
import { threadWorkspace } from '../../../testing/thread-workspace.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { type OutputFolder, outputNames, putIntoThread } from './workflow-outputs.ts';
import type { WorkflowFile } from './workflow-runner.ts';

const whose = { userId: 'ada', threadId: 't1' };
const outputs = '/mnt/user-data/outputs';
const taskId = '0199-aaaa-0123456789ab';

let home: string;
let pool: PoolFilesInMemory;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'switchyard-outputs-'));
  pool = new PoolFilesInMemory();
});

afterEach(() => rm(home, { recursive: true }));

describe('a file that a task has made', () => {
  it('is put among the outputs of the thread once, however often this is tried', async () => {
    const target = folder();
    const files = [await made('cat_00001_.png', 'one'), await made('cat_00002_.png', 'two')];
    const first = await putIntoThread({ taskId, files }, target);
    const again = await putIntoThread({ taskId, files }, target);

    expect(first).toEqual(again);
    expect(first.map(({ virtualPath, problem }) => [virtualPath, problem])).toEqual([
      [`${outputs}/cat-0123456789ab.png`, null],
      [`${outputs}/cat-0123456789ab-2.png`, null],
    ]);
    expect(await contents(target)).toEqual({
      'cat-0123456789ab.png': 'one',
      'cat-0123456789ab-2.png': 'two',
    });
  });

  it('never replaces the file of another task', async () => {
    const target = folder();
    await putIntoThread({ taskId, files: [await made('a.png', 'one')] }, target);
    await putIntoThread({ taskId: `${taskId}c`, files: [await made('a.png', 'two')] }, target);

    expect(Object.values(await contents(target)).sort()).toEqual(['one', 'two']);
  });

  it('is reported when it is too large, and the others are put there', async () => {
    const target = folder({ limits: { files: 2, fileBytes: 5 } });
    const lying = { ...(await made('lying.png', 'larger than that')), sizeBytes: 1 };
    const files = [await made('large.png', '123456'), await made('fits.png', '12345')];

    expect(await told([...files, await made('third.png', '1')], target)).toEqual([
      'It has 6 bytes; the thread takes files of up to 5.',
      null,
      'A task puts at most 2 files into the thread.',
    ]);
    expect(await told([lying], target)).toEqual([
      'The file is larger than the 5 bytes that this gateway accepts.',
    ]);
    expect(Object.values(await contents(target))).toEqual(['12345']);
  });

  it('is reported when the disk is full or the pool no longer has it', async () => {
    const full = folder({}, { ...nodeDisk, freeBytes: async () => 0 });
    expect(await told([await made('a.png', 'one')], full)).toEqual(['The gateway has no disk space left.']);
    expect(await told([{ ...(await made('a.png', 'one')), fileId: 'gone' }], folder())).toEqual([
      expect.stringContaining('file'),
    ]);
  });

  it('stays in the pool when threads have no files', async () => {
    const files = [await made('a.png', 'one')];
    expect(await putIntoThread({ taskId, files }, { ...folder(), workspace: null })).toEqual([
      { ...files[0], virtualPath: null, problem: null },
    ]);
  });

  it('is not left in part when the run is stopped in the middle of it', async () => {
    const abort = new AbortController();
    const target = folder({ signal: abort.signal });
    pool.open = async () => {
      const endless = new Readable({ read: () => abort.abort(new Error('stopped')) });
      endless.push('a part');
      return endless;
    };

    await expect(putIntoThread({ taskId, files: [await made('a.png', 'one')] }, target)).rejects.toThrow(
      'stopped',
    );
    expect(await contents(target)).toEqual({});
  });
});

describe('the name of an output', () => {
  it.each([
    ['cat_00001_.png', 'cat-0123456789ab.png'],
    ['cat.png', 'cat-0123456789ab.png'],
    ['../../etc/passwd', 'passwd-0123456789ab'],
    ['a:b.png', 'output-0123456789ab'],
    ['', 'output-0123456789ab'],
    [`${'é'.repeat(100)}.png`, `${'é'.repeat(50)}-0123456789ab.png`],
    ['a.tar/x', 'x-0123456789ab'],
  ])('of %j', (filename, name) => {
    expect(outputNames(taskId, [{ filename }])).toEqual([name]);
  });
});

async function made(filename: string, text: string): Promise<WorkflowFile> {
  const { fileId } = await pool.keep('ada', filename, { source: Readable.from([Buffer.from(text)]) });
  const sizeBytes = Buffer.byteLength(text);
  return { fileId, filename, url: `http://gate/${filename}`, contentType: 'image/png', sizeBytes };
}

function folder(differences: Partial<OutputFolder> = {}, disk = nodeDisk) {
  const workspace = threadWorkspace(home, { reserveBytes: 1, disk });
  return { pool, workspace, whose, signal: new AbortController().signal, ...differences };
}

async function told(files: WorkflowFile[], target: OutputFolder): Promise<(string | null)[]> {
  return (await putIntoThread({ taskId, files }, target)).map(({ problem }) => problem);
}

async function contents({ workspace }: OutputFolder): Promise<Record<string, string>> {
  const entries = (await workspace?.list(whose, outputs)) ?? [];
  const texts = entries.map(async ({ name }) => {
    const file = await workspace?.read(whose, `${outputs}/${name}`, 1_000);
    return [name, file?.bytes.toString()] as const;
  });
  return Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
}
