import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Workspace } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import { nodeDisk } from '../../platform/files/disk.ts';
import { agentWorkspace } from './agent-workspace.ts';
import { ThreadFolders } from './thread-folders.ts';
import { WorkspaceFiles } from './workspace-files.ts';

const ada = { userId: 'ada', threadId: 't1' };
const path = '/mnt/user-data/outputs/a.txt';
const content = Buffer.from('x');

let home: string;
let isDeleted: boolean;
let workspace: Workspace;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-agent-workspace-')));
  isDeleted = false;
  const folders = new ThreadFolders({ home, reserveBytes: 0, disk: nodeDisk });
  const require = async () => {
    if (isDeleted) throw new AppError('thread_not_found');
    return null;
  };
  workspace = agentWorkspace({
    files: new WorkspaceFiles(folders),
    folders,
    access: { require },
    follower: { beforeWrite: async () => undefined },
  });
});
afterEach(() => rm(home, { recursive: true }));

it.each<[string, () => Promise<void>]>([
  ['write', () => workspace.write(ada, path, content)],
  ['writeFrom', () => workspace.writeFrom(ada, path, { source: Readable.from([content]), maxBytes: 9 })],
  ['edit', () => workspace.edit(ada, path, { maxBytes: 9, change: () => content })],
])('%s leaves nothing behind in a thread that was deleted meanwhile', async (_name, write) => {
  await write();
  expect(await workspace.list(ada, '/mnt/user-data/outputs')).toHaveLength(1);
  isDeleted = true;
  await expect(write()).rejects.toMatchObject({ code: 'thread_not_found' });
  expect(await readdir(join(home, 'users/ada/threads'))).toEqual([]);
});
