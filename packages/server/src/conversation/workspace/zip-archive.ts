import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { AppError } from '../../lib/app-error.ts';
import { readFrom } from './workspace-files.ts';

const inflate = promisify(inflateRaw);

/** One file of an archive, as its directory describes it. Nothing of it has been unpacked. */
export interface ZipMember {
  name: string;
  method: number;
  crc: number;
  packedBytes: number;
  sizeBytes: number;
  headerAt: number;
}

const endSignature = 0x06054b50;
const memberSignature = 0x02014b50;
const headerSignature = 0x04034b50;
const endBytes = 22;
const memberBytes = 46;
const headerBytes = 30;
const longestComment = 0xffff;
const largestDirectoryBytes = 4 * 1024 * 1024;
const stored = 0;
const deflated = 8;
const encrypted = 1;

/**
 * The files that an archive says it has. Only its directory is read, which may be 4 MB long: enough for some 40,000 files.
 * Archives over 4 GB and in several parts are not understood.
 */
export async function readZipDirectory(file: FileHandle): Promise<ZipMember[]> {
  const { size } = await file.stat();
  const tailBytes = Math.min(size, endBytes + longestComment);
  const tail = await readFrom(file, { offset: size - tailBytes, length: tailBytes });
  const end = endOf(tail);
  const directoryAt = tail.readUInt32LE(end + 16);
  const directoryBytes = tail.readUInt32LE(end + 12);
  if (directoryBytes > largestDirectoryBytes) throw unreadable('it has too many files');
  if (directoryAt + directoryBytes > size - tailBytes + end)
    throw unreadable('its directory is not where it should be');
  return membersOf(await readFrom(file, { offset: directoryAt, length: directoryBytes }));
}

/** The content of one file. What is larger than `maxBytes` by its own account is refused before a byte is unpacked. */
export async function readZipMember(file: FileHandle, member: ZipMember, maxBytes: number): Promise<Buffer> {
  const { name, method, crc, packedBytes, sizeBytes, headerAt } = member;
  if (sizeBytes > maxBytes || packedBytes > maxBytes) {
    throw new AppError('file_too_large', {
      message: `File '${name}' in the archive is larger than ${maxBytes} bytes.`,
    });
  }
  if (method !== stored && method !== deflated)
    throw unreadable('it is encrypted or packed in an unknown way');
  const header = await readFrom(file, { offset: headerAt, length: headerBytes });
  if (header.length < headerBytes || header.readUInt32LE(0) !== headerSignature)
    throw unreadable('a file is not where it should be');
  const offset = headerAt + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await readFrom(file, { offset, length: packedBytes });
  const content = method === stored ? packed : await unpacked(packed, sizeBytes);
  if (content.length !== sizeBytes || crc32(content) !== crc) throw unreadable('a file is damaged');
  return content;
}

/** Never more than the directory has said, whatever the bytes would unpack to. */
async function unpacked(packed: Buffer, sizeBytes: number): Promise<Buffer> {
  try {
    return await inflate(packed, { maxOutputLength: Math.max(sizeBytes, 1) });
  } catch (error) {
    throw unreadable('a file is damaged', error);
  }
}

/** Searched from the end, since a comment may follow. */
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
    });
    at += memberBytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return members;
}

function unreadable(reason: string, cause?: unknown): AppError {
  return new AppError('path_invalid', { message: `The skill archive cannot be read: ${reason}.`, cause });
}
