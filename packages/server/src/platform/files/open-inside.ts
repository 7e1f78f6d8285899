import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { isInside, refused, resolveInside } from './safe-path.ts';

/** Windows has neither flag. There a link needs a privilege that a gateway's users do not have. */
const noFollow = constants.O_NOFOLLOW ?? 0;
/** Without it, opening a named pipe blocks one of the four threads until someone writes to it. */
const nonBlocking = constants.O_NONBLOCK ?? 0;

const flagsFor = {
  read: constants.O_RDONLY | noFollow | nonBlocking,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow,
};

/**
 * Opens an untrusted relative path below `root`: an existing regular file to `read`, or a new one to `create` (fails
 * with EEXIST when something is there). If the file is missing, it fails with ENOENT.
 */
export async function openInside(
  root: string,
  untrusted: string,
  how: keyof typeof flagsFor,
): Promise<FileHandle> {
  const path = await resolveInside(root, untrusted);
  const handle = await openWithoutFollowing(path, flagsFor[how]);
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) throw refused('it is not a regular file');
    await requireStillInside(root, path, opened);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openWithoutFollowing(path: string, flags: number): Promise<FileHandle> {
  try {
    return await open(path, flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw refused('it is a link', error);
    throw error;
  }
}

/**
 * O_NOFOLLOW checks only the last part. A folder that became a link between check and open is found here: the path then
 * leads elsewhere, or to a different file than the opened one.
 */
async function requireStillInside(root: string, path: string, opened: Stats): Promise<void> {
  const now = await realpath(path);
  const there = await stat(now);
  const isSame = there.ino === opened.ino && there.dev === opened.dev;
  if (!isSame || !isInside(await realpath(root), now)) throw refused('it changed while it was opened');
}
