import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { isJpeg } from '../pictures/picture-size.ts';
import type { StoredContent } from './blob-store.ts';
import type { Disk } from './disk.ts';

interface WriteOptions {
  source: Readable;
  maxBytes: number;
  /** Called again every 16 MB. Throws when the disk is too full to continue. */
  requireSpace: () => Promise<void>;
}

const headBytes = 512;
/** A JPEG has its size behind what the camera wrote, which is at most 64 kB. */
const jpegHeadBytes = 72 * 1024;
/** Limits how much one step hashes on the event loop, whatever the chunk size of the source. */
const stepBytes = 256 * 1024;
const spaceCheckBytes = 16 * 1024 * 1024;

/** Streams a source into a new file and syncs it. After a failure an unfinished file may be there. */
export async function writeBlob(disk: Disk, path: string, options: WriteOptions): Promise<StoredContent> {
  const { O_CREAT, O_EXCL, O_WRONLY } = constants;
  const file = await disk.open(path, O_CREAT | O_EXCL | O_WRONLY | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    const stored = await copy(file, options);
    await file.sync();
    return stored;
  } finally {
    await file.close();
  }
}

export function requireFits(sizeBytes: number, maxBytes: number): void {
  if (sizeBytes <= maxBytes) return;
  throw new AppError('file_too_large', {
    message: `The file is larger than the ${maxBytes} bytes that this gateway accepts.`,
    details: { maxBytes },
  });
}

/** Either the disk is full, or the user's quota on it. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function copy(file: FileHandle, options: WriteOptions): Promise<StoredContent> {
  const { source, maxBytes, requireSpace } = options;
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let sizeBytes = 0;
  let checkedBytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    requireFits(sizeBytes, maxBytes);
    if (sizeBytes - checkedBytes >= spaceCheckBytes) {
      await requireSpace();
      checkedBytes = sizeBytes;
    }
    const missing = (isJpeg(head.length < 3 ? chunk : head) ? jpegHeadBytes : headBytes) - head.length;
    if (missing > 0) head = Buffer.concat([head, chunk.subarray(0, missing)]);
    for (let from = 0; from < chunk.length; from += stepBytes) {
      const step = chunk.subarray(from, from + stepBytes);
      hash.update(step);
      await writeAll(file, step);
    }
  }
  return { sha256: hash.digest('hex'), sizeBytes, head };
}

/** A write may accept less than it was given, for example on a disk that is nearly full. */
async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, from, bytes.length - from);
    from += bytesWritten;
  }
}
