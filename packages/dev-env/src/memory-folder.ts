import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from './is-process-alive.ts';

interface Place {
  /** A disk in memory, if the system has one. */
  disk: string;
  /** The list of mounts, in the form of /proc/mounts. */
  mounts: string;
  /** The id of the account that the test run belongs to. */
  account: number | undefined;
}

const namePattern = /^switchyard-(\d+)-[^-]+$/;
/** Containers often have 64 MB of it. The tests together need less than a tenth of this. */
const enoughBytes = 4 * 1024 ** 3;

/**
 * A folder in memory for the temporary files of a test run, which is removed when this process ends. Tests make
 * thousands of folders and synced commits, and on a real disk they spend more time on these than on computing. Returns
 * undefined when the system has no such disk, when it is too small, or when files on it may not be executed.
 */
export function memoryFolder({ disk, mounts, account }: Place = thisSystem()): string | undefined {
  if (!isUsable(mounts, disk) || freeBytes(disk) < enoughBytes) return undefined;
  removeThoseOfEndedProcesses(disk, account);
  const folder = mkdtempSync(join(disk, `switchyard-${process.pid}-`));
  chmodSync(folder, 0o755); // Postgres runs as another account
  process.once('exit', () => removeAtExit(folder));
  return folder;
}

function removeAtExit(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch (error) {
    // Postgres ends after this process, and may still make a file. Its keeper removes that, and the next run the rest.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}

function thisSystem(): Place {
  const mounts = '/proc/mounts';
  return {
    disk: '/dev/shm',
    mounts: existsSync(mounts) ? readFileSync(mounts, 'utf8') : '',
    account: process.getuid?.(),
  };
}

function isUsable(mounts: string, disk: string): boolean {
  const fields = mounts.split('\n').map((line) => line.split(' '));
  const [, , type, options = ''] = fields.find(([, place]) => place === disk) ?? [];
  const forbidden = ['ro', 'noexec'];
  return type === 'tmpfs' && !options.split(',').some((option) => forbidden.includes(option));
}

function freeBytes(disk: string): number {
  const { bavail, bsize } = statfsSync(disk);
  return bavail * bsize;
}

/** Removes the folders of killed processes, which would take memory. Those of other accounts are theirs to remove. */
function removeThoseOfEndedProcesses(disk: string, account: number | undefined): void {
  for (const name of readdirSync(disk)) {
    const path = join(disk, name);
    const pid = namePattern.exec(name)?.[1];
    if (pid === undefined || isProcessAlive(Number(pid))) continue;
    // Another run of tests may remove it at the same time.
    if (lstatSync(path, { throwIfNoEntry: false })?.uid === account)
      rmSync(path, { recursive: true, force: true });
  }
}
