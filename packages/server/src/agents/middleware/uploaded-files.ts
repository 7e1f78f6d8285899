import { extname } from 'node:path';
import type { BaseMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { createMiddleware } from 'langchain';
import type { z } from 'zod';
import type { Log } from '../../lib/log.ts';
import { runHandleOf } from '../run-contract/run-handle.ts';
import { threadState, type uploadedFile } from '../state/thread-state.ts';
import { outputsPath, uploadsPath, workspacePath } from '../tools/files/file-trees.ts';
import type { Workspace, WorkspaceEntry, WorkspaceKey } from '../tools/workspace.ts';

type UploadedFile = z.infer<typeof uploadedFile>;

/** Number of newest files whose names the prompt and the state hold. */
const maxNamed = 100;
const readingTool = 'read_file';

const threadData = {
  workspace_path: workspacePath,
  uploads_path: uploadsPath,
  outputs_path: outputsPath,
};

/**
 * Tells the model which files the user has put into the thread, except those of the last message, and keeps the list in the
 * state. The folder is read for each call. The list is sent beside the messages, which stay as the user wrote them.
 */
export function uploadedFiles(workspace: Pick<Workspace, 'list'>, log: Pick<Log, 'warn'>) {
  return createMiddleware({
    name: 'UploadsMiddleware',
    stateSchema: threadState,
    wrapModelCall: async (request, handler) => {
      const run = runHandleOf(request.runtime);
      const present = run ? await entriesOf(workspace, run, log) : null;
      if (!present || !request.tools.some(({ name }) => name === readingTool)) return handler(request);
      const uploads = present.slice(0, maxNamed).map(uploadOf);
      const told = contextOf(uploads, {
        sent: namesSent(request.messages),
        more: present.length - uploads.length,
      });
      const answer = await handler({
        ...request,
        systemMessage: request.systemMessage.concat(`\n\n${told}`),
      });
      const { uploaded_files, thread_data } = request.state;
      const isKnown = isSame(uploaded_files ?? [], uploads) && isSame(thread_data, threadData);
      if (isKnown) return answer;
      return new Command({ update: { uploaded_files: uploads, thread_data: threadData } });
    },
  });
}

/** Returns the newest first, or null when the files cannot be listed, which does not stop the run. */
async function entriesOf(
  workspace: Pick<Workspace, 'list'>,
  whose: WorkspaceKey,
  log: Pick<Log, 'warn'>,
): Promise<WorkspaceEntry[] | null> {
  try {
    const entries = await workspace.list(whose, uploadsPath);
    return entries.filter(({ kind }) => kind === 'file').sort((a, b) => b.modifiedMs - a.modifiedMs);
  } catch (error) {
    log.warn({ err: error }, 'The uploads of a thread cannot be listed; the run goes on without them');
    return null;
  }
}

function uploadOf({ name, sizeBytes }: WorkspaceEntry): UploadedFile {
  return { filename: name, size: sizeBytes, path: `${uploadsPath}/${name}`, extension: extname(name) };
}

const folders = [
  `What the user has put in is in ${uploadsPath}; it is read and stays as it is.`,
  `You work in ${workspacePath}. What the user is to get you write to ${outputsPath} and show with present_files.`,
  'There is no shell: this gateway runs no commands for agents.',
].join(' ');

function contextOf(
  uploads: UploadedFile[],
  { sent, more }: { sent: ReadonlySet<string>; more: number },
): string {
  const isSent = ({ filename }: UploadedFile) => sent.has(filename);
  const parts = [
    listed('Files that came with the last message:', uploads.filter(isSent)),
    listed(
      'Files that were there before:',
      uploads.filter((upload) => !isSent(upload)),
    ),
    more > 0 ? `And ${more} older ones, which glob and ls find.` : '',
  ];
  return [folders, ...parts.filter((part) => part !== '')].join('\n');
}

function listed(title: string, uploads: UploadedFile[]): string {
  if (uploads.length === 0) return '';
  return [title, ...uploads.map(({ path, size }) => `- ${path} (${size} bytes)`)].join('\n');
}

/** Returns the names that clients give for files uploaded with a message. The disk shows whether the files exist. */
function namesSent(messages: readonly BaseMessage[]): Set<string> {
  const files: unknown = messages.findLast(({ type }) => type === 'human')?.additional_kwargs.files;
  if (!Array.isArray(files)) return new Set();
  return new Set(files.flatMap((file: unknown) => nameIn(file)));
}

function nameIn(file: unknown): string[] {
  if (typeof file !== 'object' || file === null || !('filename' in file)) return [];
  return typeof file.filename === 'string' ? [file.filename] : [];
}

function isSame(present: unknown, wanted: unknown): boolean {
  return JSON.stringify(present) === JSON.stringify(wanted);
}
