import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ArtifactEdit } from '@switchyard/contract/conversation/artifact';
import { say } from '@switchyard/contract/sentences/sentences';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import { UserTurns } from '../../lib/async/user-turns.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ContentType } from '../../platform/files/content-type.ts';
import { safeDisplayName } from '../../platform/files/display-name.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import { artifactType, headBytes } from './artifact-type.ts';
import { openSkillMember, splitAtArchive } from './skill-archive.ts';
import type { ThreadFolders } from './thread-folders.ts';
import { relativePathOf, virtualPathOf } from './virtual-path.ts';
import { whileThreadExists } from './while-thread-exists.ts';
import { readFrom, type WorkspaceFiles } from './workspace-files.ts';

export interface Artifact extends ContentType {
  filename: string;
  sizeBytes: number;
  /** A strong ETag, with its quotes. */
  etag: string;
  cacheControl: string;
  /** `range` is inclusive. Reading to the end closes the file; so does destroying the stream. */
  stream(range?: { start: number; end: number }): Readable;
  /** For callers that do not call `stream`. */
  close(): Promise<void>;
}

const maxEditBytes = 2 * 1024 * 1024;
/** Archives whose directories are read at a time. */
const archiveReads = { atOnce: 2, atOncePerUser: 1 };
const waitingArchiveReads = 16;
const retryAfterSeconds = 5;
const outputs = 'outputs/';

/** Files of threads that clients load and edit. */
export class Artifacts {
  readonly #options;
  readonly #archives = new UserTurns({
    ...archiveReads,
    waiting: {
      perUser: waitingArchiveReads,
      full: () => new AppError('rate_limited', { message: say('archives_busy'), retryAfterSeconds }),
    },
  });

  constructor(options: {
    folders: ThreadFolders;
    files: WorkspaceFiles;
    access: Pick<ThreadAccess, 'require'>;
  }) {
    this.#options = options;
  }

  /**
   * The answer holds a file open: the caller must call its `stream` or its `close`. When the signal aborts, an archive is read no
   * further.
   */
  async open(owner: Owner, threadId: string, path: string, signal?: AbortSignal): Promise<Artifact> {
    const { files, access } = this.#options;
    await access.require(owner, threadId, { mustExist: false });
    const key = { userId: userScope(owner), threadId };
    try {
      return await artifactOfFile(await files.open(key, path), path);
    } catch (error) {
      const parts = splitAtArchive(path);
      if (!parts || !isNotFound(error)) throw error;
      return this.#archives.run(key.userId ?? '', () => this.#openMember(key, parts, signal), signal);
    }
  }

  /** Replaces a text. When two clients have read the same text and both write, the second one gets an error. */
  async edit(
    owner: Owner,
    threadId: string,
    { path, content, expected_sha256 }: ArtifactEdit & { path: string },
  ): Promise<{ path: string; sha256: string; size: number }> {
    const { files, access } = this.#options;
    const thread = await access.require(owner, threadId, { mustExist: true });
    const relativePath = relativePathOf(path);
    if (!relativePath.startsWith(outputs)) {
      throw new AppError('path_denied', { message: say('only_outputs_changed') });
    }
    if (thread?.status === 'busy') throw new AppError('thread_busy');
    const bytes = Buffer.from(content, 'utf8');
    requireEditable(bytes.length);
    const key = { userId: userScope(owner), threadId };
    const inOutputs = { folder: 'outputs', path: relativePath.slice(outputs.length) } as const;
    const target = await files.resolveIn(key, inOutputs);
    const replace = async () => {
      await this.#requireUnchanged(key, path, expected_sha256);
      const { sha256, sizeBytes } = await files.replace(key, inOutputs, bytes);
      return { path: virtualPathOf(relativePath), sha256, size: sizeBytes };
    };
    return whileThreadExists(this.#options, { owner, threadId }, () => files.exclusively(target, replace));
  }

  async #openMember(
    key: WorkspaceKey,
    { archive, inner }: { archive: string; inner: string },
    signal: AbortSignal | undefined,
  ): Promise<Artifact> {
    const file = await this.#options.files.open(key, archive).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      throw new AppError('artifact_not_found', { message: `Skill file not found: ${archive}` });
    });
    try {
      return await artifactOfMember(file, inner, signal);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async #requireUnchanged(key: WorkspaceKey, path: string, expected: string): Promise<void> {
    const { bytes, sizeBytes } = await this.#options.files.read(key, path, maxEditBytes);
    requireEditable(sizeBytes);
    if (bytes.includes(0) || !isUtf8(bytes)) {
      throw new AppError('media_type_unsupported', { message: say('file_no_text') });
    }
    if (sha256Of(bytes) !== expected.toLowerCase()) throw new AppError('artifact_changed');
  }
}

async function artifactOfFile(file: FileHandle, path: string): Promise<Artifact> {
  try {
    const { size, ino, mtimeNs } = await file.stat({ bigint: true });
    const sizeBytes = Number(size);
    const filename = nameOf(path);
    const head = await readFrom(file, { offset: 0, length: Math.min(sizeBytes, headBytes) });
    return {
      ...artifactType(head, filename),
      filename,
      sizeBytes,
      // Files are replaced and never written into, so each content has its own inode and time.
      etag: etagOf(`${ino} ${size} ${mtimeNs}`),
      cacheControl: 'private, no-cache',
      // Reads no further than the announced size, because the file may be growing.
      stream: (range = { start: 0, end: sizeBytes - 1 }) => {
        if (sizeBytes > 0) return file.createReadStream(range);
        closeQuietly(file);
        return Readable.from([]);
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function artifactOfMember(
  archive: FileHandle,
  inner: string,
  signal: AbortSignal | undefined,
): Promise<Artifact> {
  const { ino, mtimeNs } = await archive.stat({ bigint: true });
  const { sizeBytes, head, checksum, content } = await openSkillMember(archive, inner, { headBytes, signal });
  const filename = nameOf(inner);
  return {
    ...artifactType(head, filename),
    filename,
    sizeBytes,
    etag: etagOf(`${ino} ${mtimeNs} ${inner} ${checksum}`),
    cacheControl: 'private, max-age=300',
    stream: (range) => {
      const stream = Readable.from(range ? partOf(content(), range) : content());
      return stream.once('close', () => closeQuietly(archive));
    },
    close: () => archive.close(),
  };
}

async function* partOf(
  content: AsyncIterable<Buffer>,
  { start, end }: { start: number; end: number },
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of content) {
    const part = chunk.subarray(Math.max(start - at, 0), Math.max(end + 1 - at, 0));
    if (part.length > 0) yield part;
    at += chunk.length;
    if (at > end) return;
  }
}

/** Ignores errors: no caller waits for it, and what was read from the file is correct. */
function closeQuietly(file: FileHandle): void {
  file.close().catch(() => undefined);
}

function nameOf(path: string): string {
  return safeDisplayName(path.replace(/\/+$/, ''));
}

function etagOf(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 24)}"`;
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function requireEditable(sizeBytes: number): void {
  if (sizeBytes <= maxEditBytes) return;
  throw new AppError('file_too_large', { message: say('text_too_long', { bytes: maxEditBytes }) });
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'artifact_not_found';
}
