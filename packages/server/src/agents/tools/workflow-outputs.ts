import { posix } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { uploadName } from '../../platform/files/upload-name.ts';
import type { PoolFiles, WorkflowFile } from './workflow-runner.ts';
import type { Workspace, WorkspaceKey } from './workspace.ts';

export interface OutputFolder {
  pool: PoolFiles;
  /** Null when threads have no files. */
  workspace: Workspace | null;
  whose: WorkspaceKey & { userId: string };
  signal: AbortSignal;
  limits?: OutputLimits;
}

export interface OutputLimits {
  files: number;
  fileBytes: number;
}

/** A file that a task has made, and its place in the thread. */
export interface ThreadOutput extends WorkflowFile {
  virtualPath: string | null;
  /** The reason why the thread does not have it. The pool keeps it in any case. */
  problem: string | null;
}

const outputLimits: OutputLimits = { files: 200, fileBytes: 512 * 1024 * 1024 };
/** The folder of a thread for the files that tools make. */
export const outputsFolder = '/mnt/user-data/outputs';

/**
 * Puts the files of a task into the outputs of the thread. Names follow from the task alone, so a repeated attempt writes the
 * same files again, and two tasks never write the same file.
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
    const virtualPath = posix.join(outputsFolder, names[index] ?? '');
    const problem =
      index < limits.files
        ? await whyNotPut(file, { ...target, workspace, limits, virtualPath })
        : `A task puts at most ${limits.files} files into the thread.`;
    put.push({ ...file, virtualPath: problem === null ? virtualPath : null, problem });
  }
  return put;
}

/** Returns null when the file was put into the thread. */
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

/** Reasons that may be shown and that do not make the task a failure. */
const reasons: ReadonlySet<string> = new Set([
  'file_too_large',
  'storage_full',
  'file_not_found',
  'path_denied',
]);

/** `cat_00001_.png` of a task becomes `cat-<end of its id>.png`, because the number only counts files in a worker's folder. */
export function outputNames(taskId: string, files: readonly Pick<WorkflowFile, 'filename'>[]): string[] {
  const mark = taskId.replace(/[^A-Za-z0-9]/g, '').slice(-12);
  const taken = new Set<string>();
  return files.map(({ filename }) => {
    const { name, ext } = posix.parse(uploadName(filename) ?? 'output');
    const stem = [...name.replace(/_\d{5,}_?$/, '')].slice(0, maxStemLength).join('') || 'output';
    const extension = /^\.[A-Za-z0-9]{1,10}$/.test(ext) ? ext : '';
    let free = `${stem}-${mark}${extension}`;
    // Some disks do not distinguish upper and lower case.
    for (let count = 2; taken.has(free.toLowerCase()); count += 1)
      free = `${stem}-${mark}-${count}${extension}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

/** With the rest of the name at most the 255 bytes that a file name may have. */
const maxStemLength = 50;
