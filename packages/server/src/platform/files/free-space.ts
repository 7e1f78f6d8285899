import { constants } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from './disk.ts';

interface FreeSpaceOptions {
  /** Where the gateway writes; they may lie on several disks. */
  folders: readonly string[];
  /** With less than this left, uploads are refused. */
  reserveBytes: number;
  disk: Pick<Disk, 'open' | 'unlink' | 'freeBytes'>;
}

/** More than a file system keeps inside an inode, so that writing it takes blocks. */
const probe = Buffer.alloc(64 * 1024, 1);
const probeName = '.space-check';
const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;

/** Tells how much the disks still take. */
export class FreeSpace {
  readonly #options: FreeSpaceOptions;

  constructor(options: FreeSpaceOptions) {
    this.#options = options;
  }

  /**
   * Throws what the disk says when it takes nothing more. Writes to find out, because free blocks tell nothing of quotas and
   * of file systems that have become read-only.
   */
  async look(): Promise<'ok' | 'low'> {
    const { folders, reserveBytes, disk } = this.#options;
    let isLow = false;
    for (const folder of folders) {
      await this.#write(join(folder, probeName));
      if ((await disk.freeBytes(folder)) < reserveBytes) isLow = true;
    }
    return isLow ? 'low' : 'ok';
  }

  async #write(path: string): Promise<void> {
    const { disk } = this.#options;
    const file = await disk.open(path, O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600);
    try {
      for (let from = 0; from < probe.length; )
        from += (await file.write(probe, from, probe.length - from)).bytesWritten;
    } finally {
      await file.close();
      await disk.unlink(path).catch(ignoreMissing);
    }
  }
}

/** Another replica looks at the same folder. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
