import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { say, type Wording } from '@switchyard/contract/sentences/sentences';
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

const headerBytes = 46;
const endRecordBytes = 22;
const zip64LocatorBytes = 20;
const zip64LocatorMark = 0x07064b50;
const zip64RecordBytes = 56;

/** Twice the files of a skill, for archives that hold folders and the litter of desktops as well. */
const maxMembers = 2_000;
const maxDirectoryBytes = 1024 * 1024;
const stepBytes = 64 * 1024;

/**
 * The files that an archive lists. Its directory alone is read, in one piece, and only when its end record says that the directory
 * is small. A directory that is not what its end record says is refused, so a record that lies makes no work.
 */
export async function readZipDirectory(file: FileHandle, signal?: AbortSignal): Promise<OpenableMember[]> {
  const members: OpenableMember[] = [];
  try {
    const { zip, reader, size } = await openZip(file);
    const { at, bytes, endsAt } = await directoryOf(zip, reader, size);
    if (zip.entryCount > maxMembers || bytes > maxDirectoryBytes) {
      throw unreadable(say('archive_directory_large'));
    }
    if (at + bytes !== endsAt) throw unreadable(say('archive_no_zip'));
    await reader.hold(at, bytes);
    let readBytes = 0;
    for await (const entry of zip.eachEntry()) {
      signal?.throwIfAborted();
      readBytes += headerBytes + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      members.push({ ...memberOf(entry), zip, entry });
    }
    if (readBytes !== bytes) throw unreadable(say('archive_no_zip'));
  } catch (error) {
    throw error instanceof AppError || signal?.aborted ? error : unreadable(say('archive_no_zip'), error);
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

async function openZip(file: FileHandle): Promise<{ zip: ZipFile; reader: HandleReader; size: number }> {
  const { size } = await file.stat();
  const reader = new HandleReader(file);
  const zip = await fromRandomAccessReaderPromise(reader, size, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: false,
    validateEntrySizes: false,
  });
  return { zip, reader, size };
}

/** Returns where the directory lies, and where the records behind it begin. The library gives only the number of its entries. */
async function directoryOf(
  zip: ZipFile,
  reader: HandleReader,
  size: number,
): Promise<{ at: number; bytes: number; endsAt: number }> {
  const endsAt = size - endRecordBytes - Buffer.byteLength(zip.comment);
  const record = await reader.bytes(endsAt, endRecordBytes);
  const locator = await reader.bytes(Math.max(0, endsAt - zip64LocatorBytes), zip64LocatorBytes);
  if (locator.readUInt32LE(0) !== zip64LocatorMark) {
    return { at: record.readUInt32LE(16), bytes: record.readUInt32LE(12), endsAt };
  }
  const zip64At = Number(locator.readBigUInt64LE(8));
  const zip64 = await reader.bytes(zip64At, zip64RecordBytes);
  return {
    at: Number(zip64.readBigUInt64LE(48)),
    bytes: Number(zip64.readBigUInt64LE(40)),
    endsAt: zip64At,
  };
}

/** Reads through the handle, which refuses reads after it was closed; the number of a closed file may belong to another one. */
class HandleReader extends RandomAccessReader {
  readonly #file: FileHandle;
  /** The piece that was read last. */
  #held: { at: number; piece: Buffer } = { at: 0, piece: Buffer.alloc(0) };

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
    this.bytes(position, length).then((bytes) => {
      bytes.copy(buffer, offset);
      callback(null);
    }, callback);
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null);
  }

  /** Reads a piece at once. What is read later out of it needs no further look at the file. */
  async hold(at: number, length: number): Promise<void> {
    this.#held = { at, piece: await readFrom(this.#file, { offset: at, length }) };
  }

  async bytes(position: number, length: number): Promise<Buffer> {
    const isHeld = position >= this.#held.at && position + length <= this.#held.at + this.#held.piece.length;
    if (!isHeld) await this.hold(position, length);
    const { at, piece } = this.#held;
    const bytes = piece.subarray(position - at, position - at + length);
    if (bytes.length < length) throw new Error('The archive is shorter than it says.');
    return bytes;
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

function unreadable(reason: Wording, cause?: unknown): AppError {
  return new AppError('path_invalid', { message: say('archive_unreadable', { cause: reason }), cause });
}
