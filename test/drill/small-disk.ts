import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';

/** More than the gateway leaves free on every disk. */
const sizeBytes = 400 * 1024 * 1024;
const partBytes = 1024 * 1024;

/** A disk of its own in memory, small enough to be filled. */
export interface SmallDisk {
  path: string;
  /** Writes until the disk takes no more. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** Returns null where this account may not mount a disk. No installed program would change that, so it is no fault in CI either. */
export function mountSmallDisk(): SmallDisk | null {
  const folder = temporaryFolder();
  const path = join(folder.path, 'disk');
  mkdirSync(path);
  if (run('mount', '-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'switchyard-drill', path) !== 0) {
    folder.remove();
    return null;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () => {
      const file = openSync(ballast, 'w');
      const part = Buffer.alloc(partBytes, 1);
      try {
        for (;;) writeSync(file, part);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
    remove: () => {
      run('umount', '--lazy', path);
      folder.remove();
    },
  };
}

function run(program: string, ...args: string[]): number | null {
  return spawnSync(program, args, { stdio: 'ignore' }).status;
}
