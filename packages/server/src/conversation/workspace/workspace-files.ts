import { type FileHandle, lstat, mkdir, opendir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { say } from '@switchyard/contract/sentences/sentences';
import type {
  FileEdit,
  StreamedContent,
  Workspace,
  WorkspaceEntry,
  WorkspaceKey,
} from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import {
  type Draft,
  dropDraft,
  isDraftName,
  isReplaceable,
  placeDraft,
  sweepDrafts,
  writeDraft,
} from '../../platform/files/draft-file.ts';
import { openInside } from '../../platform/files/open-inside.ts';
import { resolveInside } from '../../platform/files/safe-path.ts';
import { isDiskFull } from '../../platform/files/write-blob.ts';
import type { ThreadFolders } from './thread-folders.ts';
import { type FolderName, folderNames, relativePathOf, virtualPathOf } from './virtual-path.ts';

/** A folder with more entries is listed in part. */
const maxEntries = 10_000;

/** The one way from a virtual path to a file of a thread and back. */
export class WorkspaceFiles implements Workspace {
  readonly #folders: ThreadFolders;
  readonly #clock: Clock;
  readonly #lock = new KeyLock();

  constructor(folders: ThreadFolders, clock: Clock = systemClock) {
    this.#folders = folders;
    this.#clock = clock;
  }

  /**
   * Opens an existing file to read. Links are followed as long as they stay below the root. A path that leads out is
   * `path_denied`, a missing file `artifact_not_found`, a folder `path_invalid`.
   */
  async open(whose: WorkspaceKey, path: string): Promise<FileHandle> {
    const relativePath = relativePathOf(path);
    if (relativePath === '') throw notAFile(relativePath);
    const root = this.#folders.rootOf(whose);
    try {
      const real = await resolveInside(root, relativePath);
      if ((await lstat(real)).isDirectory()) throw notAFile(relativePath);
      return await openInside(root, relativePath, 'read');
    } catch (error) {
      throw explained(error, relativePath);
    }
  }

  async read(
    whose: WorkspaceKey,
    path: string,
    maxBytes: number,
  ): Promise<{ bytes: Buffer; sizeBytes: number }> {
    const file = await this.open(whose, path);
    try {
      const { size } = await file.stat();
      return {
        bytes: await readFrom(file, { offset: 0, length: Math.min(size, maxBytes) }),
        sizeBytes: size,
      };
    } finally {
      await file.close();
    }
  }

  async openStream(whose: WorkspaceKey, path: string): Promise<Readable> {
    return (await this.open(whose, path)).createReadStream();
  }

  async write(whose: WorkspaceKey, path: string, content: Uint8Array): Promise<void> {
    const place = placeOf(path);
    await this.#folders.make(whose, place.folder);
    const target = await this.resolveIn(whose, place);
    await this.exclusively(target, () => this.replace(whose, place, content));
  }

  async writeFrom(whose: WorkspaceKey, path: string, content: StreamedContent): Promise<void> {
    // A source that breaks before the first read would otherwise be an uncaught error; the read reports the failure.
    content.source.on('error', () => undefined);
    try {
      const place = placeOf(path);
      await this.#folders.make(whose, place.folder);
      const target = await this.resolveIn(whose, place);
      await this.exclusively(target, () => this.#replace(whose, place, content));
      await sweepDrafts(this.#folders.disk, dirname(target), this.#clock());
    } catch (error) {
      throw isDiskFull(error) ? new AppError('storage_full', { cause: error }) : error;
    } finally {
      content.source.destroy();
    }
  }

  async edit(whose: WorkspaceKey, path: string, { maxBytes, change }: FileEdit): Promise<void> {
    const place = placeOf(path);
    await this.#folders.make(whose, place.folder);
    const target = await this.resolveIn(whose, place);
    await this.exclusively(target, async () => {
      const present = await this.#present(whose, path, maxBytes);
      await this.replace(whose, place, change(present));
    });
  }

  /**
   * For a caller that reads a file and writes what follows from it. Work on the same real path is done one after the other within
   * this process.
   */
  exclusively<Value>(target: string, work: () => Promise<Value>): Promise<Value> {
    return this.#lock.run(target, work);
  }

  async #present(whose: WorkspaceKey, path: string, maxBytes: number): Promise<Buffer | null> {
    try {
      const { bytes, sizeBytes } = await this.read(whose, path, maxBytes);
      if (sizeBytes > maxBytes) throw new AppError('file_too_large');
      return bytes;
    } catch (error) {
      if (error instanceof AppError && error.code === 'artifact_not_found') return null;
      throw error;
    }
  }

  /** Replaces the content of a file inside one of the folders. The folder must exist. */
  async replace(
    whose: WorkspaceKey,
    where: { folder: FolderName; path: string },
    content: Uint8Array,
  ): Promise<Draft> {
    return this.#replace(whose, where, contentOf(content));
  }

  async #replace(
    whose: WorkspaceKey,
    { folder, path }: { folder: FolderName; path: string },
    { source, maxBytes }: StreamedContent,
  ): Promise<Draft> {
    const target = await this.resolveIn(whose, { folder, path });
    const parent = dirname(target);
    const { disk } = this.#folders;
    await mkdir(parent, { recursive: true, mode: 0o700 });
    const requireSpace = () => this.#folders.requireSpace(parent);
    await requireSpace();
    const draft = await writeDraft(disk, parent, { source, maxBytes, requireSpace });
    try {
      if (!(await isReplaceable(target)) || (await realpath(parent)) !== parent)
        throw new AppError('path_denied');
      await placeDraft(disk, draft, target);
      return draft;
    } catch (error) {
      await dropDraft(disk, draft.path);
      throw error;
    }
  }

  /** The real path of a file that may not exist yet. It is inside one of the folders and nowhere else. */
  async resolveIn(
    whose: WorkspaceKey,
    { folder, path }: { folder: FolderName; path: string },
  ): Promise<string> {
    const root = await this.#folders.find(whose, folder);
    if (!root) throw notFound(`${folder}/${path}`);
    try {
      return await resolveInside(root, path);
    } catch (error) {
      throw explained(error, `${folder}/${path}`);
    }
  }

  async list(whose: WorkspaceKey, path: string): Promise<WorkspaceEntry[]> {
    const relativePath = relativePathOf(path);
    const root = this.#folders.rootOf(whose);
    try {
      const folder = relativePath === '' ? root : await resolveInside(root, relativePath);
      return await entriesOf(folder);
    } catch (error) {
      // The three folders are created when something is first put into one of them.
      if (isMissing(error) && (relativePath === '' || isFolderName(relativePath))) return [];
      throw explained(error, relativePath);
    }
  }
}

function contentOf(bytes: Uint8Array): StreamedContent {
  return { source: Readable.from([bytes]), maxBytes: bytes.length };
}

/** Reads at most `length` bytes, or as many as there are. */
export async function readFrom(
  file: FileHandle,
  { offset, length }: { offset: number; length: number },
): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** Lists files and folders; links and devices are left out. */
export async function entriesOf(folder: string): Promise<WorkspaceEntry[]> {
  const entries: WorkspaceEntry[] = [];
  for await (const { name } of await opendir(folder)) {
    if (entries.length === maxEntries) break;
    if (isDraftName(name)) continue;
    const stats = await lstat(join(folder, name)).catch(() => null);
    if (!stats?.isFile() && !stats?.isDirectory()) continue;
    const kind = stats.isFile() ? 'file' : 'folder';
    entries.push({ name, kind, sizeBytes: kind === 'file' ? stats.size : 0, modifiedMs: stats.mtimeMs });
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The folder of the three that a path to write leads into, and the path below it. */
function placeOf(path: string): { folder: FolderName; path: string } {
  const relativePath = relativePathOf(path);
  const folder = folderNames.find((name) => relativePath.startsWith(`${name}/`));
  // A file with one of the gateway's own names would never be listed.
  if (folder && relativePath.split('/').some(isDraftName)) throw new AppError('path_denied');
  if (folder) return { folder, path: relativePath.slice(folder.length + 1) };
  throw new AppError('path_denied', {
    message: 'Files are written below uploads, workspace or outputs.',
  });
}

function isFolderName(path: string): boolean {
  return (folderNames as readonly string[]).includes(path);
}

/** Turns a file system error into the contract's error. */
function explained(error: unknown, relativePath: string): unknown {
  if (isMissing(error)) return notFound(relativePath);
  if (!(error instanceof AppError) || error.code !== 'path_not_allowed') return error;
  // The path uses a file as a folder, or is longer than any disk allows: nothing can exist there, so nothing is hidden.
  const code = codeOf(error.cause);
  if (code === 'ENOTDIR') return notFound(relativePath);
  if (code === 'ENAMETOOLONG') return notFound(relativePath, error);
  return new AppError('path_denied', { cause: error });
}

function notFound(relativePath: string, cause?: AppError): AppError {
  const path = virtualPathOf(relativePath).slice(1);
  return new AppError('artifact_not_found', { message: `Artifact not found: ${path}`, cause });
}

function notAFile(relativePath: string): AppError {
  const path = virtualPathOf(relativePath).slice(1).replace(/\/$/, '');
  return new AppError('path_invalid', { message: say('path_no_file', { path }) });
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code;
}
