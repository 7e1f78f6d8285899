import { posix } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { uploadName } from '../../platform/files/upload-name.ts';
import type { PoolFiles, WorkflowFile } from './workflow-runner.ts';
import type { Workspace, WorkspaceKey } from './workspace.ts';

export interface OutputFolder {
  pool: PoolFiles;
  /** Null where threads have no files. */
  workspace: Workspace | null;
  whose: WorkspaceKey & { userId: string };
  signal: AbortSignal;
  limits?: OutputLimits;
}

export interface OutputLimits {
  files: number;
  fileBytes: number;
}

/** A file that a task has made, and where the thread has it. */
export interface ThreadOutput extends WorkflowFile {
  virtualPath: string | null;
  /** Why the thread does not have it. The pool keeps it in any case. */
  problem: string | null;
}

const outputLimits: OutputLimits = { files: 200, fileBytes: 512 * 1024 * 1024 };
const folder = '/mnt/user-data/outputs';

/**
 * Puts what a task has made into the outputs of the thread. Names follow from the task alone, so that an attempt that is
 * repeated writes the same files again, and two tasks never write one file.
 */
export async function putIntoThread(
  { taskId, files }: { taskId: string; files: readonly WorkflowFile[] },
  target: OutputFolder,
): Promise<ThreadOutput[]> {
  const { workspace, limits = outputLimits } = target;
  if (!workspace) return files.map((file) => ({ ...file, virtualPath: null, problem: null }));
  const names = outputNames(taskId, files);
  const put: ThreadOutput[] = [];
  for (const [index, file] of files.entries()) {
    const virtualPath = posix.join(folder, names[index] ?? '');
    const problem =
      index < limits.files
        ? await whyNotPut(file, { ...target, workspace, limits, virtualPath })
        : `A task puts at most ${limits.files} files into the thread.`;
    put.push({ ...file, virtualPath: problem === null ? virtualPath : null, problem });
  }
  return put;
}

/** Null once it is there. */
async function whyNotPut(
  { fileId, sizeBytes }: WorkflowFile,
  {
    pool,
    workspace,
    whose,
    signal,
    limits,
    virtualPath,
  }: OutputFolder & { workspace: Workspace; limits: OutputLimits; virtualPath: string },
): Promise<string | null> {
  const { fileBytes: maxBytes } = limits;
  if (sizeBytes > maxBytes) return `It has ${sizeBytes} bytes; the thread takes files of up to ${maxBytes}.`;
  signal.throwIfAborted();
  try {
    const source = addAbortSignal(signal, await pool.open(whose.userId, fileId));
    await workspace.writeFrom(whose, virtualPath, { source, maxBytes });
    return null;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError && reasons.has(error.code)) return error.message;
    throw error;
  }
}

/** What may be said, and does not make the task a failure. */
const reasons: ReadonlySet<string> = new Set([
  'file_too_large',
  'storage_full',
  'file_not_found',
  'path_denied',
]);

/** `cat_00001_.png` of a task is `cat-<end of its id>.png`: the number is the count of a worker's folder and says nothing. */
export function outputNames(taskId: string, files: readonly Pick<WorkflowFile, 'filename'>[]): string[] {
  const mark = taskId.replace(/[^A-Za-z0-9]/g, '').slice(-12);
  const taken = new Set<string>();
  return files.map(({ filename }) => {
    const { name, ext } = posix.parse(uploadName(filename) ?? 'output');
    const stem = [...name.replace(/_\d{5,}_?$/, '')].slice(0, longestStem).join('') || 'output';
    const extension = /^\.[A-Za-z0-9]{1,10}$/.test(ext) ? ext : '';
    let free = `${stem}-${mark}${extension}`;
    // Upper and lower case are one name on some disks.
    for (let count = 2; taken.has(free.toLowerCase()); count += 1)
      free = `${stem}-${mark}-${count}${extension}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** Together with the rest at most the 255 bytes that a name may have. */
const longestStem = 50;
