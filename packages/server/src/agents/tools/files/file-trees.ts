import { AppError } from '../../../lib/app-error.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { FileEdit, FileMount, Workspace, WorkspaceEntry, WorkspaceKey } from '../workspace.ts';

const userData = '/mnt/user-data';
/** Other folders of the thread, such as the user's uploads, are read only. */
const writable = [`${userData}/workspace/`, `${userData}/outputs/`];

export const uploadsPath = `${userData}/uploads`;
export const workspacePath = `${userData}/workspace`;
export const outputsPath = `${userData}/outputs`;

export interface FileTreesOptions {
  workspace: Workspace;
  mounts: readonly FileMount[];
}

/**
 * The file tree that agents see: the files of their thread, and read-only trees mounted beside them. Errors are sentences that a
 * model can act on.
 */
export class FileTrees {
  readonly #workspace: Workspace;
  readonly #mounts: readonly FileMount[];

  constructor({ workspace, mounts }: FileTreesOptions) {
    this.#workspace = workspace;
    this.#mounts = mounts;
  }

  list(whose: WorkspaceKey, path: string): Promise<WorkspaceEntry[]> {
    return onPath({ path, kind: 'folder' }, () => this.#treeOf(path).list(whose, path));
  }

  read(whose: WorkspaceKey, path: string, maxBytes: number): Promise<{ bytes: Buffer; sizeBytes: number }> {
    return onPath({ path, kind: 'file' }, () => this.#treeOf(path).read(whose, path, maxBytes));
  }

  write(whose: WorkspaceKey, path: string, content: Uint8Array): Promise<void> {
    requireWritable(path);
    return onPath({ path, kind: 'file' }, () => this.#workspace.write(whose, path, content));
  }

  edit(whose: WorkspaceKey, path: string, edit: FileEdit): Promise<void> {
    requireWritable(path);
    return onPath({ path, kind: 'file' }, () => this.#workspace.edit(whose, path, edit));
  }

  /** Chooses the tree of a path. The tree itself judges the rest of the path. */
  #treeOf(path: string): Pick<Workspace, 'read' | 'list'> {
    if (isAtOrBelow(path, userData)) return this.#workspace;
    const mount = this.#mounts.find(({ prefix }) => isAtOrBelow(path, prefix));
    if (mount) return mount.files;
    const roots = [uploadsPath, workspacePath, outputsPath, ...this.#mounts.map(({ prefix }) => prefix)];
    throw new ToolFailure(
      'path_invalid',
      `${shown(path)} is not a path here. Paths begin with one of these: ${roots.join(', ')}.`,
    );
  }
}

function requireWritable(path: string): void {
  if (writable.some((folder) => path.startsWith(folder))) return;
  if (isAtOrBelow(path, uploadsPath)) {
    throw new ToolFailure(
      'path_denied',
      `Uploads are the user's own and stay as they are. Write a copy below ${workspacePath} or ${outputsPath}.`,
    );
  }
  throw new ToolFailure(
    'path_denied',
    `${shown(path)} cannot be written. Files are written below ${workspacePath} and ${outputsPath}.`,
  );
}

interface Named {
  path: string;
  kind: 'file' | 'folder';
}

async function onPath<Value>(named: Named, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw explained(error, named);
  }
}

function explained(error: unknown, { path, kind }: Named): unknown {
  if (!(error instanceof AppError)) return error;
  switch (error.code) {
    case 'artifact_not_found':
      if (error.cause instanceof AppError) return deniedPath(path, error);
      return new ToolFailure(
        'file_not_found',
        `There is no ${kind} ${shown(path)}. See what is there with ls or glob.`,
      );
    case 'path_invalid':
      return new ToolFailure('path_invalid', `${shown(path)} is not a file. List a folder with ls.`);
    case 'path_denied':
    case 'path_not_allowed':
      return deniedPath(path, error);
    case 'file_too_large':
    case 'storage_full':
      return new ToolFailure(error.code, error.message);
    default:
      return error;
  }
}

function deniedPath(path: string, error: AppError): ToolFailure {
  return new ToolFailure('path_denied', `${shown(path)} is refused. ${reasonOf(error)}`);
}

/** The cause of the error names what is wrong with the path. */
function reasonOf(error: AppError): string {
  return error.cause instanceof AppError ? error.cause.message : error.message;
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

const maxShownLength = 300;

/** Returns the path as the model wrote it, cut to a useful length. */
export function shown(path: string): string {
  const line = path.replaceAll(/\p{Cc}/gu, ' ');
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength)}…` : line;
}
