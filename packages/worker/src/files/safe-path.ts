import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';

/** A name or folder that would lead out of its root folder. */
export class UnsafePathError extends Error {}

/** Accepts a single file name: no folder, no NUL, nothing that a file system reads as "here" or "up". */
export function isPlainName(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && name.length <= 255 && !/[/\\\0]/.test(name);
}

/**
 * `root/subfolder`, or an error when that is outside of root. It checks the text first and then the real path of what
 * exists already, so that a symbolic link cannot lead out either.
 */
export async function folderInside(root: string, subfolder: string): Promise<string> {
  if (isAbsolute(subfolder) || /[\\\0]/.test(subfolder) || subfolder.length > 1024)
    throw new UnsafePathError('The subfolder must be a relative path with forward slashes.');
  const folder = resolve(root, subfolder);
  if (!contains(root, folder)) throw new UnsafePathError('The subfolder leads outside of its folder.');
  if (!contains(await realpath(root), await realpathOfExisting(folder)))
    throw new UnsafePathError('The subfolder leads outside of its folder through a link.');
  return folder;
}

export function contains(root: string, path: string): boolean {
  const step = relative(root, path);
  return step === '' || (!isAbsolute(step) && step !== '..' && !step.startsWith(`..${sep}`));
}

async function realpathOfExisting(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error) || dirname(path) === path) throw error;
    return join(await realpathOfExisting(dirname(path)), basename(path));
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
