import type { FileHandle } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { AppError } from '../../lib/app-error.ts';
import { readFrom } from './workspace-files.ts';

/** One file of an archive, as its directory describes it. It has not been unpacked. */
export interface ZipMember {
  name: string;
  method: number;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  headerAt: number;
  /** `other` is a link or a device; only archives of Unix systems contain them. */
  unixType: 'file' | 'folder' | 'other';
}

const endSignature = 0x06054b50;
const memberSignature = 0x02014b50;
const headerSignature = 0x04034b50;
const endBytes = 22;
const memberBytes = 46;
const headerBytes = 30;
const maxCommentBytes = 0xffff;
const maxDirectoryBytes = 4 * 1024 * 1024;
const stepBytes = 64 * 1024;
const stored = 0;
const deflated = 8;
const encrypted = 1;

/**
 * The files that an archive lists. Only its directory is read, which may be 4 MB long: enough for some 40,000 files. Archives
 * over 4 GB and archives in several parts are not supported.
 */
export async function readZipDirectory(file: FileHandle): Promise<ZipMember[]> {
  const { size } = await file.stat();
  const tailBytes = Math.min(size, endBytes + maxCommentBytes);
  const tail = await readFrom(file, { offset: size - tailBytes, length: tailBytes });
  const end = endOf(tail);
  const directoryAt = tail.readUInt32LE(end + 16);
  const directoryBytes = tail.readUInt32LE(end + 12);
  if (directoryBytes > maxDirectoryBytes) throw unreadable('it has too many files');
  if (directoryAt + directoryBytes > size - tailBytes + end)
    throw unreadable('its directory is not where it should be');
  return membersOf(await readFrom(file, { offset: directoryAt, length: directoryBytes }));
}

/**
 * The content of one file, unpacked while it is read and never beyond the size that the archive states. A file whose stated size
 * is above `maxBytes` is refused before a byte is unpacked. Content that differs from what the archive states ends in an error.
 */
export async function openZipMember(
  file: FileHandle,
  member: ZipMember,
  maxBytes: number,
): Promise<() => AsyncGenerator<Buffer>> {
  const { name, method, packedBytes, sizeBytes, headerAt } = member;
  if (sizeBytes > maxBytes || packedBytes > maxBytes) {
    throw new AppError('file_too_large', {
      message: `File '${name}' in the archive is larger than ${maxBytes} bytes.`,
    });
  }
  if (method !== stored && method !== deflated)
    throw unreadable('it is encrypted or packed in an unknown way');
  const header = await readFrom(file, { offset: headerAt, length: headerBytes });
  if (header.length < headerBytes || header.readUInt32LE(0) !== headerSignature) {
    throw unreadable('a file is not where it should be');
  }
  const start = headerAt + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  return () => checkedContent(member, packedContent(file, { start, length: packedBytes }));
}

async function* checkedContent(
  { method, crc, sizeBytes }: ZipMember,
  packed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let unpackedBytes = 0;
  let sum = 0;
  for await (const chunk of chunksOf(method === stored ? packed : inflated(packed))) {
    unpackedBytes += chunk.length;
    if (unpackedBytes > sizeBytes) throw unreadable('a file is damaged');
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (unpackedBytes !== sizeBytes || sum !== crc) throw unreadable('a file is damaged');
}

/** Reads by offsets: a stream over the handle may close the handle when it is destroyed. */
async function* packedContent(
  file: FileHandle,
  { start, length }: { start: number; length: number },
): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; ) {
    const chunk = await readFrom(file, { offset: start + at, length: Math.min(stepBytes, length - at) });
    if (chunk.length === 0) return;
    at += chunk.length;
    yield chunk;
  }
}

/** When one end fails the other is destroyed too, so that a reader who stops leaves nothing open. */
function inflated(packed: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(packed), createInflateRaw(), () => undefined);
}

async function* chunksOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* source;
  } catch (error) {
    throw unreadable('a file is damaged', error);
  }
}

/** Searches from the end, because a comment may follow. */
function endOf(tail: Buffer): number {
  for (let at = tail.length - endBytes; at >= 0; at -= 1) {
    const isEnd =
      tail.readUInt32LE(at) === endSignature && at + endBytes + tail.readUInt16LE(at + 20) === tail.length;
    if (isEnd) return at;
  }
  throw unreadable('it is no zip archive');
}

function membersOf(directory: Buffer): ZipMember[] {
  const members: ZipMember[] = [];
  for (let at = 0; at + memberBytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== memberSignature) throw unreadable('its directory is damaged');
    const nameBytes = directory.readUInt16LE(at + 28);
    const isEncrypted = (directory.readUInt16LE(at + 8) & encrypted) !== 0;
    const name = directory.toString('utf8', at + memberBytes, at + memberBytes + nameBytes);
    members.push({
      name,
      method: isEncrypted ? -1 : directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedBytes: directory.readUInt32LE(at + 20),
      sizeBytes: directory.readUInt32LE(at + 24),
      headerAt: directory.readUInt32LE(at + 42),
      unixType: unixTypeOf(directory.readUInt16LE(at + 40), name),
    });
    at += memberBytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return members;
}

/** Zero means that the system which made the archive has no modes. */
function unixTypeOf(mode: number, name: string): ZipMember['unixType'] {
  const type = mode & 0o170000;
  if (type === 0) return name.endsWith('/') ? 'folder' : 'file';
  if (type === 0o100000) return 'file';
  return type === 0o040000 ? 'folder' : 'other';
}

function unreadable(reason: string, cause?: unknown): AppError {
  return new AppError('path_invalid', { message: `The skill archive cannot be read: ${reason}.`, cause });
}
