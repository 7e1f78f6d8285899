import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { say } from '@switchyard/contract/sentences/sentences';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { AppError } from '../../lib/app-error.ts';
import { readFrom } from './workspace-files.ts';

/** One file of an archive, as its directory describes it. It has not been unpacked. */
export interface ZipMember {
  name: string;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  /** `other` is a link or a device; only archives of Unix systems contain them. */
  unixType: 'file' | 'folder' | 'other';
}

/** A member whose content can be read while the file of its archive is open. */
export interface OpenableMember extends ZipMember {
  zip: ZipFile;
  entry: Entry;
}

const memberBytes = 46;
const maxDirectoryBytes = 4 * 1024 * 1024;
const stepBytes = 64 * 1024;

/** The files that an archive lists. Only its directory is read, which may be 4 MB long: enough for some 40,000 files. */
export async function readZipDirectory(file: FileHandle): Promise<OpenableMember[]> {
  const members: OpenableMember[] = [];
  let directoryBytes = 0;
  try {
    const zip = await openZip(file);
    for await (const entry of zip.eachEntry()) {
      directoryBytes += memberBytes + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (directoryBytes > maxDirectoryBytes) throw unreadable(say('archive_directory_large'));
      members.push({ ...memberOf(entry), zip, entry });
    }
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(say('archive_no_zip'), error);
  }
  return members;
}

/**
 * The content of one file, unpacked while it is read and never beyond the size that the archive states. A file whose stated size
 * is above `maxBytes` is refused before a byte is unpacked. Content that differs from what the archive states ends in an error.
 */
export async function openZipMember(
  member: OpenableMember,
  maxBytes: number,
): Promise<() => AsyncGenerator<Buffer>> {
  const { name, packedBytes, sizeBytes, entry } = member;
  if (sizeBytes > maxBytes || packedBytes > maxBytes) {
    throw new AppError('file_too_large', {
      message: say('archive_member_large', { entry: name, bytes: maxBytes }),
    });
  }
  if (entry.isEncrypted() || !entry.canDecodeFileData()) throw unreadable(say('archive_encrypted'));
  return () => checkedContent(member);
}

/** The library checks no sum. The size is checked here too, because the library would refuse all files for one that is wrong. */
async function* checkedContent({ zip, entry, crc, sizeBytes }: OpenableMember): AsyncGenerator<Buffer> {
  let unpackedBytes = 0;
  let sum = 0;
  for await (const chunk of chunksOf(zip, entry)) {
    unpackedBytes += chunk.length;
    if (unpackedBytes > sizeBytes) throw unreadable(say('archive_file_damaged'));
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (unpackedBytes !== sizeBytes || sum !== crc) throw unreadable(say('archive_file_damaged'));
}

async function* chunksOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  try {
    yield* (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadable(say('archive_file_damaged'), error);
  }
}

async function openZip(file: FileHandle): Promise<ZipFile> {
  const { size } = await file.stat();
  return fromRandomAccessReaderPromise(new HandleReader(file), size, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: false,
  });
}

/** Reads through the handle, which refuses reads after it was closed; the number of a closed file may belong to another one. */
class HandleReader extends RandomAccessReader {
  readonly #file: FileHandle;
  #at = 0;
  #ahead: Buffer = Buffer.alloc(0);

  constructor(file: FileHandle) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#range(start, end), { objectMode: false });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#bytes(position, length).then((bytes) => {
      bytes.copy(buffer, offset);
      callback(bytes.length < length ? new Error('The archive is shorter than it says.') : null);
    }, callback);
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }

  /** A directory is read in small pieces, one after the other, so more is read than is asked for. */
  async #bytes(position: number, length: number): Promise<Buffer> {
    const from = position - this.#at;
    if (from < 0 || from + length > this.#ahead.length) {
      this.#ahead = await readFrom(this.#file, { offset: position, length: Math.max(length, stepBytes) });
      this.#at = position;
      return this.#ahead.subarray(0, length);
    }
    return this.#ahead.subarray(from, from + length);
  }

  async *#range(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      const chunk = await readFrom(this.#file, { offset: at, length: Math.min(stepBytes, end - at) });
      if (chunk.length === 0) return;
      at += chunk.length;
      yield chunk;
    }
  }
}

function memberOf(entry: Entry): ZipMember {
  const name = entry.fileNameRaw.toString('utf8');
  return {
    name,
    crc: entry.crc32,
    packedBytes: entry.compressedSize,
    sizeBytes: entry.uncompressedSize,
    unixType: unixTypeOf(entry.externalFileAttributes >>> 16, name),
  };
}

/** Zero means that the system which made the archive has no modes. */
function unixTypeOf(mode: number, name: string): ZipMember['unixType'] {
  const type = mode & 0o170000;
  if (type === 0) return name.endsWith('/') ? 'folder' : 'file';
  if (type === 0o100000) return 'file';
  return type === 0o040000 ? 'folder' : 'other';
}

function unreadable(reason: string, cause?: unknown): AppError {
  return new AppError('path_invalid', { message: say('archive_unreadable', { cause: reason }), cause });
}
