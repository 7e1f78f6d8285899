import { Readable } from 'node:stream';
import type { Uploads } from '../conversation/workspace/uploads.ts';
import { AppError } from '../lib/app-error.ts';
import { withStream } from '../lib/async/with-stream.ts';
import type { Owner } from '../lib/owner.ts';
import { numberedName, uploadName } from '../platform/files/upload-name.ts';
import type { Channel, InboundFile } from './channel.ts';

/** A file of a message that was stored in the thread's uploads. */
export interface StoredFile {
  filename: string;
  kind: InboundFile['kind'];
  sizeBytes: number;
  path: string;
}

interface IngestOptions {
  uploads: Pick<Uploads, 'add' | 'list'>;
  channel: Pick<Channel, 'open' | 'maxFileBytes'>;
  owner: Owner;
  threadId: string;
  signal: AbortSignal;
}

/** Stores the files of a message. A file that fails is left out and named; the others are stored. */
export async function ingestFiles(
  files: readonly InboundFile[],
  options: IngestOptions,
): Promise<{ stored: StoredFile[]; failed: string[] }> {
  const stored: StoredFile[] = [];
  const failed: string[] = [];
  for (const [index, file] of files.entries()) {
    try {
      stored.push(await ingest(file, index, options));
    } catch (error) {
      if (options.signal.aborted) throw options.signal.reason;
      failed.push(`${nameOf(file, index)} (${reasonOf(error)})`);
    }
  }
  return { stored, failed };
}

async function ingest(
  file: InboundFile,
  index: number,
  { uploads, channel, owner, threadId, signal }: IngestOptions,
): Promise<StoredFile> {
  const present = new Set((await uploads.list(owner, threadId)).map(({ filename }) => filename));
  const wanted = nameOf(file, index);
  // A second file with the same name gets a number, because the sender would not notice that it replaces the first one.
  const name = present.has(wanted) ? numberedName(wanted, (candidate) => present.has(candidate)) : wanted;
  const { files } = await withStream(await channel.open(file, signal), (source) => {
    const part = { type: 'file' as const, fieldname: 'files', filename: name, file: capped(source, channel) };
    return uploads.add(owner, threadId, { parts: partsOf(part), signal });
  });
  const [placed] = files;
  if (!placed) throw new AppError('path_invalid');
  return { filename: placed.filename, kind: file.kind, sizeBytes: placed.size, path: placed.virtual_path };
}

async function* partsOf<Part>(part: Part): AsyncGenerator<Part> {
  yield part;
}

function capped(source: Readable, { maxFileBytes }: Pick<Channel, 'maxFileBytes'>): Readable {
  return Readable.from(
    (async function* () {
      let bytes = 0;
      for await (const chunk of source as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        if (bytes > maxFileBytes) throw new AppError('file_too_large');
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
}

/** Returns the platform's file name when it is valid, and otherwise a name of ours. */
function nameOf({ filename, kind }: InboundFile, index: number): string {
  const given = filename === null ? null : uploadName(filename);
  return given ?? `${kind}_${index + 1}${kind === 'image' ? '.png' : '.bin'}`;
}

/** Messages of our own errors may be shown to people; other errors are only for the log. */
function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) return 'it could not be fetched';
  return error.code === 'file_too_large' ? 'it is too large' : error.message.replace(/\.$/, '');
}

/** Returns the message as the agent gets it: first the paths of its files, then its words. */
export function textWithFiles(
  text: string,
  { stored, failed }: { stored: readonly StoredFile[]; failed: readonly string[] },
): string {
  const parts: string[] = [];
  if (stored.length > 0) parts.push(uploadedFiles(stored));
  if (failed.length > 0) parts.push(`Failed to obtain: ${failed.join(', ')}`);
  if (text !== '') parts.push(text);
  return parts.join('\n\n');
}

function uploadedFiles(files: readonly StoredFile[]): string {
  const entries = files.map(
    ({ filename, sizeBytes, kind, path }) =>
      `- ${filename} (${shownSize(sizeBytes)})\n  Type: ${kind}\n  Path: ${path}\n`,
  );
  return [
    '<uploaded_files>',
    'The following files were uploaded in this message:\n',
    ...entries,
    '</uploaded_files>',
  ].join('\n');
}

function shownSize(sizeBytes: number): string {
  const kilobytes = sizeBytes / 1024;
  return kilobytes < 1024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
