import { constants } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from './disk.ts';

/** More than a file system keeps inside an inode, so that the write takes blocks. */
const probe = Buffer.alloc(64 * 1024, 1);
const probeName = '.space-check';
const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;

/** Tells how much space the disks have left. */
export class FreeSpace {
  readonly #options;

  constructor(options: {
    /** The folders in which the gateway writes. They may be on several disks. */
    folders: readonly string[];
    /** Uploads are refused when less than this is left. */
    reserveBytes: number;
    disk: Pick<Disk, 'open' | 'unlink' | 'freeBytes'>;
  }) {
    this.#options = options;
  }

  /**
   * Throws the disk's error when it accepts no more data. It writes a file to find out, because the number of free
   * blocks says nothing about quotas and about file systems that have become read-only.
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

/** Another replica checks the same folder. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
