import { join } from 'node:path';
import { readPrivateFile } from '../../accounts/secrets/private-file.ts';

/** Stands in a home while a backup is restored into it. */
export const unfinishedRestoreFile = '.restore-unfinished';

/** Returns the name of the restoration that was broken off in a home; null when there is none. */
export function unfinishedRestore(home: string): string | null {
  return readPrivateFile(join(home, unfinishedRestoreFile))?.trim() ?? null;
}

/** Throws for a home that has a part of a backup only: a gateway would begin there with what happens to be there. */
export function refuseUnfinishedRestore(home: string): void {
  if (unfinishedRestore(home) === null) return;
  throw new Error(
    `A backup was not restored to its end into ${home}. Run the same switchyard restore again, or remove the folder.`,
  );
}
