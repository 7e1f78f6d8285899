import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { StoredContent } from './blob-store.ts';
import type { Disk } from './disk.ts';
import { hashContent } from './receive-content.ts';

interface WriteOptions {
  source: Readable;
  maxBytes: number;
  /** Called again every 16 MB. Throws when the disk is too full to continue. */
  requireSpace: () => Promise<void>;
}

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

/** Either the disk is full, or the user's quota on it. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function copy(file: FileHandle, options: WriteOptions): Promise<StoredContent> {
  const { source, maxBytes, requireSpace } = options;
  let sizeBytes = 0;
  let checkedBytes = 0;
  return hashContent({
    source,
    maxBytes,
    write: async (step) => {
      sizeBytes += step.length;
      if (sizeBytes - checkedBytes >= spaceCheckBytes) {
        await requireSpace();
        checkedBytes = sizeBytes;
      }
      await writeAll(file, step);
    },
  });
}

/** A write may accept less than it was given, for example on a disk that is nearly full. Without `at` it goes on behind the last one. */
export async function writeAll(file: FileHandle, bytes: Uint8Array, at?: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const position = at === undefined ? null : at + from;
    const { bytesWritten } = await file.write(bytes, from, bytes.length - from, position);
    from += bytesWritten;
  }
}
