import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ToolMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { runHandleKey } from '../src/agents/run-contract/run-handle.ts';
import { fileTools } from '../src/agents/tools/files/file-tools.ts';
import type { FileMount } from '../src/agents/tools/workspace.ts';
import { ThreadFolders } from '../src/conversation/workspace/thread-folders.ts';
import { WorkspaceFiles } from '../src/conversation/workspace/workspace-files.ts';
import { nodeDisk } from '../src/platform/files/disk.ts';

interface Caller {
  userId?: string;
  threadId?: string;
  signal?: AbortSignal;
}

/** The tools over their own data home, with one skill mounted. */
export interface FileToolsFixture {
  home: string;
  /** Returns what a tool answers to the model that works in a thread of a user. */
  use(name: string, args: object, caller?: Caller): Promise<unknown>;
  /** Returns the place of a file on the disk. */
  onDisk(path: string, userId?: string): string;
  /** Puts a file there, and returns its virtual path. */
  put(path: string, content: string | Uint8Array, userId?: string): Promise<string>;
  close(): Promise<void>;
}

const mounts: FileMount[] = [
  {
    prefix: '/mnt/skills',
    files: {
      list: async (_whose, path) =>
        path === '/mnt/skills' ? [{ name: 'a.md', kind: 'file', sizeBytes: 5, modifiedMs: 0 }] : [],
      read: async () => ({ bytes: Buffer.from('skill'), sizeBytes: 5 }),
    },
  },
];

export async function openFileTools(): Promise<FileToolsFixture> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'switchyard-file-tools-')));
  const workspace = new WorkspaceFiles(new ThreadFolders({ home, reserveBytes: 0, disk: nodeDisk }));
  const tools = fileTools({ workspace, mounts }) as unknown as StructuredToolInterface[];
  const onDisk = (path: string, userId = 'ada') => join(home, 'users', userId, 'threads/t1/user-data', path);
  return {
    home,
    onDisk,
    use: async (name, args, { userId = 'ada', threadId = 't1', signal } = {}) => {
      const handle = { runId: 'r1', threadId, userId, beforeActing: async () => undefined };
      const config = { configurable: { [runHandleKey]: handle }, toolCall: { id: 'call_1' }, signal };
      const tool = tools.find((each) => each.name === name);
      const answer: unknown = await tool?.invoke({ description: 'test', ...args }, config as object);
      return ToolMessage.isInstance(answer) ? answer.text : answer;
    },
    put: async (path, content, userId) => {
      const file = onDisk(path, userId);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return `/mnt/user-data/${path}`;
    },
    close: () => rm(home, { recursive: true }),
  };
}
