import { readdir, unlink } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type {
  ListedUpload,
  UploadedFile,
  UploadLimits as UploadLimitsView,
} from '@switchyard/contract/conversation/upload';
import { say } from '@switchyard/contract/sentences/sentences';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import { KeyLock } from '../../lib/async/key-lock.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import {
  dropDraft,
  isDraftName,
  isReplaceable,
  placeDraft,
  sweepDrafts,
} from '../../platform/files/draft-file.ts';
import { numberedName, uploadName } from '../../platform/files/upload-name.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import {
  type ReceivedFile,
  type ReceivedFiles,
  receiveUploads,
  type UploadLimits,
  type UploadPart,
} from './receive-uploads.ts';
import type { ThreadFolders } from './thread-folders.ts';
import { artifactUrlOf, virtualPathOf } from './virtual-path.ts';
import { whileThreadExists } from './while-thread-exists.ts';
import type { WorkspaceFiles } from './workspace-files.ts';

interface UploadsAnswer {
  success: boolean;
  files: UploadedFile[];
  message: string;
  skipped_files: string[];
}

/** A list shows this many uploads, and agents get as many. */
const maxUploads = 1_000;

/** The files that users put into their threads. */
export class Uploads {
  readonly #options;
  readonly #lock = new KeyLock();

  constructor(options: {
    folders: ThreadFolders;
    files: WorkspaceFiles;
    access: Pick<ThreadAccess, 'require'>;
    /** Makes the thread for the caller when it does not exist. */
    makeThread: (owner: Owner, threadId: string) => Promise<void>;
    limits: UploadLimits;
    clock: Clock;
  }) {
    this.#options = options;
  }

  get limits(): UploadLimits {
    return this.#options.limits;
  }

  async limitsFor(owner: Owner, threadId: string): Promise<UploadLimitsView> {
    await this.#options.access.require(owner, threadId, { mustExist: false });
    const { files, fileBytes, totalBytes } = this.#options.limits;
    return { max_files: files, max_file_size: fileBytes, max_total_size: totalBytes };
  }

  async list(owner: Owner, threadId: string): Promise<ListedUpload[]> {
    await this.#options.access.require(owner, threadId, { mustExist: false });
    const entries = await this.#options.files.list(keyOf(owner, threadId), virtualPathOf('uploads'));
    return entries
      .filter(({ kind }) => kind === 'file')
      .map(({ name, sizeBytes, modifiedMs }) => ({
        ...viewOf(threadId, name, sizeBytes),
        extension: extname(name),
        modified: modifiedMs / 1000,
      }));
  }

  /** Called before the body is read. The thread may be one that the upload makes. */
  async requireThread(owner: Owner, threadId: string): Promise<void> {
    await this.#options.access.require(owner, threadId, { mustExist: false });
  }

  async add(
    owner: Owner,
    threadId: string,
    { parts, signal }: { parts: AsyncIterable<UploadPart>; signal: AbortSignal },
  ): Promise<UploadsAnswer> {
    const { folders, limits, makeThread } = this.#options;
    await makeThread(owner, threadId);
    return whileThreadExists(this.#options, { owner, threadId }, async () => {
      const folder = await folders.make(keyOf(owner, threadId), 'uploads');
      await sweepDrafts(folders.disk, folder, this.#options.clock());
      const requireSpace = () => folders.requireSpace(folder);
      await requireSpace();
      const received = await receiveUploads(parts, {
        folder,
        disk: folders.disk,
        limits,
        requireSpace,
        signal,
      });
      return this.#lock.run(folder, () => this.#place(threadId, folder, received));
    });
  }

  async remove(owner: Owner, threadId: string, filename: string): Promise<void> {
    await this.#options.access.require(owner, threadId, { mustExist: true });
    const missing = new AppError('file_not_found', { message: `File not found: ${filename}` });
    if (uploadName(filename) !== filename) throw new AppError('path_invalid');
    const folder = await this.#options.folders.find(keyOf(owner, threadId), 'uploads');
    if (!folder) throw missing;
    const path = join(folder, filename);
    if (!(await isReplaceable(path))) throw new AppError('path_invalid');
    try {
      await unlink(path);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? missing : error;
    }
    await this.#options.folders.disk.syncDirectory(folder);
  }

  /**
   * Gives the drafts their names. When a link or a folder has the name already, it stays and the upload is reported as skipped.
   */
  async #place(threadId: string, folder: string, { files, skipped }: ReceivedFiles): Promise<UploadsAnswer> {
    const { disk } = this.#options.folders;
    const placed: UploadedFile[] = [];
    try {
      for (const { name, file } of namesFor(files, await namesIn(folder))) {
        const target = join(folder, name);
        if (!(await isReplaceable(target))) {
          skipped.push(file.given);
          continue;
        }
        await placeDraft(disk, file.draft, target);
        placed.push({
          ...viewOf(threadId, name, file.draft.sizeBytes),
          ...(name !== file.name && { original_filename: file.name }),
        });
      }
    } finally {
      // The files in their place can no longer be found under the draft's name.
      for (const { draft } of files) await dropDraft(disk, draft.path);
    }
    return {
      success: skipped.length === 0,
      files: placed,
      message: messageOf(placed.length, skipped.length),
      skipped_files: skipped,
    };
  }
}

function keyOf(owner: Owner, threadId: string): WorkspaceKey {
  return { userId: userScope(owner), threadId };
}

/**
 * The first file with a name in a request replaces an existing file. A second one with that name gets a number, and its numbered
 * name never replaces another file.
 */
function namesFor(
  files: readonly ReceivedFile[],
  onDisk: ReadonlySet<string>,
): { name: string; file: ReceivedFile }[] {
  const given = new Set<string>();
  const named = files.map((file) => {
    const isTaken = (name: string) => given.has(name) || onDisk.has(name);
    const name = given.has(file.name) ? numberedName(file.name, isTaken) : file.name;
    given.add(name);
    return { name, file };
  });
  const count = new Set([...onDisk, ...given]).size;
  if (count > Math.max(maxUploads, onDisk.size)) {
    throw new AppError('too_many_uploads', {
      message: say('uploads_full', { count: maxUploads }),
    });
  }
  return named;
}

async function namesIn(folder: string): Promise<Set<string>> {
  return new Set((await readdir(folder)).filter((name) => !isDraftName(name)));
}

function viewOf(threadId: string, filename: string, sizeBytes: number): UploadedFile {
  const virtualPath = virtualPathOf(`uploads/${filename}`);
  return {
    filename,
    size: sizeBytes,
    path: virtualPath,
    virtual_path: virtualPath,
    artifact_url: artifactUrlOf(threadId, virtualPath),
  };
}

function messageOf(placed: number, skipped: number): string {
  const uploaded = `Successfully uploaded ${placed} file(s)`;
  return skipped === 0 ? uploaded : `${uploaded}; skipped ${skipped} unsafe file(s)`;
}
