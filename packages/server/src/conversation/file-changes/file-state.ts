import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { isExactText } from '../../agents/tools/files/text-content.ts';
import type { WorkspaceKey } from '../../agents/tools/workspace.ts';
import { AppError } from '../../lib/app-error.ts';
import type { WorkspaceFiles } from '../workspace/workspace-files.ts';
import { readFrom } from '../workspace/workspace-files.ts';
import { isSensitive } from './sensitive-file.ts';

/** A file at one moment. */
export interface FileState {
  sizeBytes: number;
  /** Differs when the file was written in between, even with the same content. */
  identity: string;
  /** Null for a file that was too large to be read. */
  sha256: string | null;
  isBinary: boolean;
  /** Null for what is not shown: binary, large and sensitive files. */
  text: string | null;
}

/** A larger file is neither read nor shown. */
export const maxDiffBytes = 262_144;
/** The beginning of a large file, which shows whether it is text. */
const headBytes = 8_192;

/** Returns null when there is no such file. Throws when it cannot be read. */
export async function stateOf(
  files: Pick<WorkspaceFiles, 'open'>,
  whose: WorkspaceKey,
  path: string,
): Promise<FileState | null> {
  const file = await opened(files, whose, path);
  if (!file) return null;
  try {
    return await read(file, path);
  } finally {
    await file.close();
  }
}

export function isSame(one: FileState | null, other: FileState | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.sha256 !== null && other.sha256 !== null) return one.sha256 === other.sha256;
  return one.identity === other.identity;
}

async function opened(
  files: Pick<WorkspaceFiles, 'open'>,
  whose: WorkspaceKey,
  path: string,
): Promise<FileHandle | null> {
  try {
    return await files.open(whose, path);
  } catch (error) {
    if (error instanceof AppError && error.code === 'artifact_not_found') return null;
    throw error;
  }
}

async function read(file: FileHandle, path: string): Promise<FileState> {
  const { size, ino, mtimeMs } = await file.stat();
  const identity = `${ino}:${mtimeMs}:${size}`;
  const isSmall = size <= maxDiffBytes;
  const bytes = await readFrom(file, { offset: 0, length: isSmall ? size : headBytes });
  if (!isSmall) return { sizeBytes: size, identity, sha256: null, isBinary: bytes.includes(0), text: null };
  const isText = isExactText(bytes);
  return {
    sizeBytes: size,
    identity,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    isBinary: !isText,
    text: isText && !isSensitive(path) ? bytes.toString('utf8') : null,
  };
}
