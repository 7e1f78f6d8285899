import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { minuteMs, secondMs } from '../../lib/time-units.ts';
import type { Disk } from './disk.ts';

const holdFile = 'deletions-held';
/** A hold that was not renewed for so long belongs to a process that was killed. */
const heldForMs = minuteMs;
const renewEveryMs = 10 * secondMs;

/**
 * Keeps the gateways that share this folder from removing content, for as long as a backup copies it. The returned function ends
 * that.
 */
export async function holdDeletions(root: string): Promise<() => Promise<void>> {
  const path = join(root, holdFile);
  await mkdir(root, { recursive: true, mode: 0o700 });
  await writeFile(path, `${process.pid}\n`, { mode: 0o600 });
  // A failure ends the hold a little earlier. The backup then finds that content is gone, and reports it.
  const renew = () => void utimes(path, new Date(), new Date()).catch(() => undefined);
  const timer = setInterval(renew, renewEveryMs);
  return async () => {
    clearInterval(timer);
    await rm(path, { force: true });
  };
}

/** Compares times of the same machine, since a clock that is off must neither end nor lengthen a hold. */
export async function areDeletionsHeld(root: string, disk: Pick<Disk, 'look'>): Promise<boolean> {
  const found = await disk.look(join(root, holdFile));
  return found !== null && Math.abs(Date.now() - found.modifiedMs) < heldForMs;
}
