import { addAbortSignal, type Readable } from 'node:stream';
import { say } from '@switchyard/contract/sentences/sentences';
import { isMultipartFault, parsedParts } from '../../http/body/multipart-fault.ts';
import { AppError } from '../../lib/app-error.ts';
import { storable } from '../../lib/storable-text.ts';
import type { Disk } from '../../platform/files/disk.ts';
import { type Draft, dropDraft, writeDraft } from '../../platform/files/draft-file.ts';
import { uploadName } from '../../platform/files/upload-name.ts';

/** One part of a multipart body, as its parser provides it. */
export type UploadPart =
  | { type: 'file'; fieldname: string; filename: string | undefined; file: Readable }
  | { type: 'field'; fieldname: string };

export interface UploadLimits {
  files: number;
  fileBytes: number;
  /** The limits of one request. */
  totalBytes: number;
}

export interface ReceivedFile {
  /** The name under which it was sent. */
  given: string;
  name: string;
  draft: Draft;
}

export interface ReceivedFiles {
  files: ReceivedFile[];
  /** Unsafe names, as they were sent. */
  skipped: string[];
}

interface ReceiveOptions {
  folder: string;
  disk: Disk;
  limits: UploadLimits;
  requireSpace: () => Promise<void>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

const fieldName = 'files';
const maxShownNameLength = 1_024;

/**
 * Streams the files of a request into drafts. All files are accepted or none: when a limit is exceeded or the body breaks off,
 * the drafts are removed. Parts that are not named `files` are discarded.
 */
export async function receiveUploads(
  parts: AsyncIterable<UploadPart>,
  options: ReceiveOptions,
): Promise<ReceivedFiles> {
  const reception = new Reception(options);
  try {
    for await (const part of parsedParts(parts)) if (part.type === 'file') await reception.take(part);
    return reception.end();
  } catch (error) {
    await reception.drop();
    if (options.signal.aborted) throw options.signal.reason;
    throw asAppError(error, options.limits);
  }
}

class Reception {
  readonly #options: ReceiveOptions;
  readonly #files: ReceivedFile[] = [];
  readonly #skipped: string[] = [];
  #count = 0;
  #bytes = 0;

  constructor(options: ReceiveOptions) {
    this.#options = options;
  }

  async take({ fieldname, filename = '', file }: Extract<UploadPart, { type: 'file' }>): Promise<void> {
    // A body that breaks off before the first read would be an uncaught error; the read reports the failure.
    file.on('error', () => undefined);
    addAbortSignal(this.#options.signal, file);
    // A form in which no file was chosen sends a part without a name.
    if (fieldname !== fieldName || filename === '') return this.#discard(file, fieldname);
    this.#count += 1;
    if (this.#count > this.#options.limits.files) throw tooManyFiles(this.#options.limits);
    const name = uploadName(filename);
    if (name === null) {
      this.#skipped.push(shown(filename));
      return this.#discard(file, filename);
    }
    this.#files.push({ given: filename, name, draft: await this.#write(name, file) });
  }

  end(): ReceivedFiles {
    if (this.#count === 0) throw new AppError('no_files');
    return { files: this.#files, skipped: this.#skipped };
  }

  async drop(): Promise<void> {
    for (const { draft } of this.#files) await dropDraft(this.#options.disk, draft.path);
  }

  async #write(name: string, source: Readable): Promise<Draft> {
    const { disk, folder, limits, requireSpace } = this.#options;
    const leftBytes = limits.totalBytes - this.#bytes;
    const maxBytes = Math.min(limits.fileBytes, leftBytes);
    try {
      const draft = await writeDraft(disk, folder, { source, maxBytes, requireSpace });
      this.#bytes += draft.sizeBytes;
      return draft;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'file_too_large') throw error;
      if (leftBytes < limits.fileBytes) throw new AppError('upload_too_large');
      throw fileTooLarge(name);
    }
  }

  /** Discarded parts count too, so that no request goes on for ever. */
  async #discard(source: Readable, name: string): Promise<void> {
    const { fileBytes, totalBytes } = this.#options.limits;
    let bytes = 0;
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > fileBytes) throw fileTooLarge(name);
    }
    this.#bytes += bytes;
    if (this.#bytes > totalBytes) throw new AppError('upload_too_large');
  }
}

function tooManyFiles({ files }: UploadLimits): AppError {
  return new AppError('too_many_files', { message: say('upload_too_many', { count: files }) });
}

function fileTooLarge(name: string): AppError {
  return new AppError('file_too_large', { message: say('upload_file_too_large', { filename: shown(name) }) });
}

/** A name from outside in a form that can be shown: not longer than a name can be, and storable text. */
function shown(filename: string): string {
  return storable(filename.slice(0, maxShownNameLength));
}

/** Errors of the multipart parser: too many parts, a broken boundary, an early end. */
function asAppError(error: unknown, limits: UploadLimits): unknown {
  if (!isMultipartFault(error)) return error;
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  if (code === 'FST_FILES_LIMIT' || code === 'FST_PARTS_LIMIT') return tooManyFiles(limits);
  return new AppError('body_malformed', {
    message: say('upload_unreadable'),
    cause: error,
  });
}
