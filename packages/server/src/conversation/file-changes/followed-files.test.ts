import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { threadWorkspace } from '../../../testing/thread-workspace.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { FileChanges } from './file-changes.ts';
import type { FollowedFiles } from './followed-files.ts';

const whose = { userId: 'ada', threadId: 't1' };
const run = { ...whose, runId: 'r1' };
const outputs = '/mnt/user-data/outputs';

let home: string;
let files: WorkspaceFiles;
let changes: FileChanges;
let followed: FollowedFiles;
let nowMs: number;
let opened: string[];

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-file-changes-')));
  files = threadWorkspace(home);
  nowMs = 0;
  opened = [];
  const observed = {
    open: (...args: Parameters<WorkspaceFiles['open']>) => {
      opened.push(args[1]);
      return files.open(...args);
    },
  };
  changes = new FileChanges(observed, () => nowMs);
  followed = changes.follow(run);
});
afterEach(() => rm(home, { recursive: true }));

async function put(path: string, content: string | Uint8Array): Promise<void> {
  await files.write(whose, path, Buffer.from(content as string));
}
/** Writes a file as a tool of the run does. */
async function write(path: string, content: string | Uint8Array, by = run): Promise<void> {
  await changes.beforeWrite(by, path);
  await put(path, content);
}
const listed = async () => (await followed.changes())?.files ?? [];

describe('a run that follows its files', () => {
  it('reads nothing while it writes nothing', async () => {
    await put(`${outputs}/there.txt`, 'x');
    expect(await followed.changes()).toBeNull();
    expect(opened).toEqual([]);
  });

  it('lists what it created and modified, against the first state, by path', async () => {
    await put(`${outputs}/old.txt`, 'one\ntwo\n');
    await write(`${outputs}/old.txt`, 'one\n2\n');
    await write(`${outputs}/old.txt`, 'one\n2\nthree\n');
    await write('/mnt/user-data/workspace/new.txt', 'x\n');
    expect((await followed.changes())?.summary).toEqual({
      created: 1,
      modified: 1,
      deleted: 0,
      symlink_created: 0,
      additions: 3,
      deletions: 1,
      truncated: false,
    });
    expect(await listed()).toMatchObject([
      { path: `${outputs}/old.txt`, root: 'outputs', status: 'modified', size_before: 8, size_after: 12 },
      { path: '/mnt/user-data/workspace/new.txt', root: 'workspace', status: 'created', size_before: null },
    ]);
  });

  it('lists no file that ends as it began', async () => {
    await put(`${outputs}/a.txt`, 'x');
    await write(`${outputs}/a.txt`, 'y');
    await write(`${outputs}/a.txt`, 'x');
    expect(await followed.changes()).toBeNull();
  });

  it('knows one file with and without the first slash of its path', async () => {
    await write(`${outputs}/a/b.txt`, '1');
    await write(`${outputs}/a/b.txt`.slice(1), '2');
    expect(await listed()).toHaveLength(1);
  });

  it('leaves out what others write, and what is written after its end', async () => {
    await changes.beforeWrite(whose, `${outputs}/user.txt`);
    await put(`${outputs}/user.txt`, 'x');
    await write(`${outputs}/other.txt`, 'x', { ...run, runId: 'r2' });
    expect(await followed.changes()).toBeNull();
    changes.forget('r1');
    await write(`${outputs}/late.txt`, 'x');
    expect(await followed.changes()).toBeNull();
  });

  it('says that a file is deleted that was there before its first write', async () => {
    await put(`${outputs}/a.txt`, 'x\n');
    await write(`${outputs}/a.txt`, 'y\n');
    await rm(join(home, 'users/ada/threads/t1/user-data/outputs/a.txt'));
    expect(await listed()).toMatchObject([{ status: 'deleted', size_after: null, deletions: 1 }]);
  });

  it('shows nothing of a sensitive, a binary or a large file', async () => {
    await put(`${outputs}/.env`, 'KEY=hunter1');
    await write(`${outputs}/.env`, 'KEY=hunter2');
    await write(`${outputs}/b.bin`, new Uint8Array([1, 0, 2]));
    await write(`${outputs}/c.txt`, 'x'.repeat(262_145));
    const shown = await listed();
    const none = { diff: '', diff_truncated: false, additions: 0, deletions: 0 };
    expect(shown).toMatchObject([
      { ...none, sensitive: true, diff_unavailable_reason: 'sensitive', sha256_before: null },
      { ...none, binary: true, diff_unavailable_reason: 'binary' },
      { ...none, binary: false, diff_unavailable_reason: 'large', sha256_after: null },
    ]);
    expect(shown[0]).toMatchObject({ sha256_after: null, size_before: 11, size_after: 11 });
    expect(JSON.stringify(shown)).not.toContain('hunter');
  });

  it('lists 200 files, and counts the others', async () => {
    for (let index = 0; index < 201; index += 1) await write(`${outputs}/${index}.txt`, 'x\n');
    const made = await followed.changes();
    expect(made?.files).toHaveLength(200);
    expect(made?.summary).toMatchObject({ created: 201, additions: 201, truncated: true });
  });

  it('cuts the diffs at a megabyte, and gives those after it a reason', async () => {
    for (let index = 0; index < 6; index += 1)
      await write(`${outputs}/${index}.txt`, 'a line of text\n'.repeat(15_000));
    const made = await listed();
    const bytes = made.reduce((sum, { diff }) => sum + Buffer.byteLength(diff), 0);
    expect(bytes).toBeLessThanOrEqual(1_048_576);
    expect(made.map(({ diff_truncated }) => diff_truncated)).toEqual([
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    expect(made.at(-2)).toMatchObject({ diff_unavailable_reason: null, additions: 15_000 });
    expect(made.at(-1)).toMatchObject({ diff: '', diff_unavailable_reason: 'truncated', additions: 15_000 });
  });

  it('holds 4 MB of earlier texts; files after them have no diff', async () => {
    const long = 'a line of text\n'.repeat(17_000);
    for (let index = 10; index < 30; index += 1) await put(`${outputs}/${index}.txt`, long);
    for (let index = 10; index < 30; index += 1) await write(`${outputs}/${index}.txt`, `${long}more\n`);
    const made = await listed();
    expect(made[0]).toMatchObject({ additions: 1, diff_unavailable_reason: null });
    expect(made.at(-1)).toMatchObject({ additions: 0, diff: '', diff_unavailable_reason: 'truncated' });
  });

  it('stops to compare when its time is over, and says that more may have changed', async () => {
    const slow = new FileChanges({ open: (...args) => files.open(...args) }, () => {
      nowMs += 1_500;
      return nowMs;
    });
    followed = slow.follow(run);
    await slow.beforeWrite(run, `${outputs}/c.txt`);
    await slow.beforeWrite(run, `${outputs}/d.txt`);
    await put(`${outputs}/c.txt`, 'x');
    await put(`${outputs}/d.txt`, 'x');
    expect((await followed.changes())?.summary).toMatchObject({ created: 1, truncated: true });
  });
});
