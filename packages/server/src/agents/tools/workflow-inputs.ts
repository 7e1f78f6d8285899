import { posix } from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { ToolFailure } from './tool-failure.ts';
import type { PoolFiles } from './workflow-runner.ts';
import type { Workspace, WorkspaceKey } from './workspace.ts';

export interface InputFiles {
  pool: PoolFiles;
  /** Null when threads have no files. */
  workspace: Workspace | null;
  whose: WorkspaceKey & { userId: string };
  signal: AbortSignal;
}

type Params = Record<string, unknown>;

/** A workflow that reads more files is refused before the first one is taken in. */
const maxFiles = 64;
const maxNamed = 20;
/** Matches a value that is a single path on one line. A text that only begins with a path does not match. */
const threadPath = /^\/mnt\/user-data\/[^\n]{1,1000}$/;

/**
 * Returns the params with a file of the pool in place of each path of the thread. A path in the graph becomes a param of its own.
 * A worker could not read the path, so it cannot mean anything else.
 */
export async function withGraphFiles(
  { workflow, params }: { workflow: Params; params: Params },
  files: InputFiles,
): Promise<Params> {
  return withFiles({ ...pathsInGraph(workflow), ...params }, files);
}

/** Returns the params with a file of the pool in place of each path of the thread; other params stay as they are. */
export async function withFiles(params: Params, files: InputFiles): Promise<Params> {
  const paths = new Set(Object.values(params).flatMap((value) => pathIn(value) ?? []));
  if (paths.size === 0) return params;
  if (paths.size > maxFiles) {
    throw new ToolFailure(
      'too_many_files',
      `The workflow reads ${paths.size} files of the thread; at most ${maxFiles} are possible.`,
    );
  }
  const references = new Map<string | undefined, { $file: string }>();
  for (const path of paths) references.set(path, { $file: await taken(path, files) });
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, references.get(pathIn(value)) ?? value]),
  );
}

/** Reads a plain path, or the form in which models write it when they have seen a reference to a file. */
function pathIn(value: unknown): string | undefined {
  const { $file: path } = (typeof value === 'object' && value !== null ? value : { $file: value }) as {
    $file?: unknown;
  };
  return typeof path === 'string' && threadPath.test(path) ? path : undefined;
}

function pathsInGraph(workflow: Params): Params {
  return Object.fromEntries(
    Object.entries(workflow).flatMap(([id, node]) =>
      Object.entries(inputsOf(node)).flatMap(([input, value]) => {
        const path = pathIn(value);
        return path === undefined ? [] : [[`${id}.${input}`, path]];
      }),
    ),
  );
}

/** The graph has not been checked yet, so it may have any form. */
function inputsOf(node: unknown): Params {
  const { inputs } = (typeof node === 'object' && node !== null ? node : {}) as { inputs?: unknown };
  return typeof inputs === 'object' && inputs !== null ? (inputs as Params) : {};
}

async function taken(path: string, files: InputFiles): Promise<string> {
  const { pool, whose, signal } = files;
  signal.throwIfAborted();
  const source = await opened(path, files);
  const { fileId } = await pool.keep(whose.userId, posix.basename(path), { source, signal });
  return fileId;
}

async function opened(path: string, { workspace, whose }: InputFiles) {
  if (!workspace) throw new ToolFailure('no_thread_files', 'Threads have no files here.');
  try {
    return await workspace.openStream(whose, path);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'artifact_not_found') throw error;
    const folder = posix.dirname(path);
    const entries = await workspace.list(whose, folder).catch(() => []);
    const names = entries.filter(({ kind }) => kind === 'file').map(({ name }) => name);
    throw new ToolFailure('input_not_found', `There is no file ${path}. ${told(folder, names)}`);
  }
}

function told(folder: string, names: readonly string[]): string {
  if (names.length === 0) return `${folder} holds no files.`;
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
  return `${folder} holds ${names.slice(0, maxNamed).join(', ')}${more}.`;
}
