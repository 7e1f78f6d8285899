import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { newId } from '../../lib/ids.ts';

/** A longer file was not written by us. */
const maxBytes = 8_192;

/** Replaces the path by a file that only its owner may read. At no moment do others see it, or is it incomplete. */
export function writePrivateFile(path: string, text: string): void {
  throughTemporary(path, text, (temporary) => renameSync(temporary, path));
}

/**
 * Does what `writePrivateFile` does, but leaves an existing file unchanged and returns false. If many try at once, one
 * creates it.
 */
export function createPrivateFile(path: string, text: string): boolean {
  let created = true;
  throughTemporary(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      created = false;
    }
    unlinkSync(temporary);
  });
  return created;
}

/**
 * Returns the text of a private file, or undefined when there is none. A link is not followed. Permissions for others
 * are removed.
 */
export function readPrivateFile(path: string): string | undefined {
  try {
    return readPlainFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} must be a plain file that this user may read, or absent (${why}).`, {
      cause: error,
    });
  }
}

function readPlainFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, 0o600);
    const buffer = Buffer.alloc(maxBytes);
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, maxBytes, 0));
  } finally {
    closeSync(file);
  }
}

function throughTemporary(path: string, text: string, putInPlace: (temporary: string) => void): void {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${newId()}.tmp`;
  const exclusive = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const file = openSync(temporary, exclusive, 0o600);
  try {
    try {
      writeSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    putInPlace(temporary);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
  syncDirectory(directory);
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
