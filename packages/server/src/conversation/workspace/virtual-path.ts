import { say } from '@switchyard/contract/sentences/sentences';
import { AppError } from '../../lib/app-error.ts';

/** The folder in which agents and clients see the files of a thread. */
const virtualRoot = '/mnt/user-data';

export const folderNames = ['uploads', 'workspace', 'outputs'] as const;
export type FolderName = (typeof folderNames)[number];

/** Returns the part below the virtual root, `''` for the root itself. Accepts a path with or without its first slash. */
export function relativePathOf(path: string): string {
  const absolute = path.startsWith('/') ? path : `/${path}`;
  if (absolute !== virtualRoot && !absolute.startsWith(`${virtualRoot}/`)) {
    throw new AppError('path_invalid', { message: say('path_begins_wrong', { folder: virtualRoot }) });
  }
  return absolute.slice(virtualRoot.length + 1).replace(/\/$/, '');
}

export function virtualPathOf(relativePath: string): string {
  return `${virtualRoot}/${relativePath}`;
}

/** Relative to the gateway's address. */
export function artifactUrlOf(threadId: string, virtualPath: string): string {
  const encoded = virtualPath.split('/').map(encodeURIComponent).join('/');
  return `/api/threads/${threadId}/artifacts${encoded}`;
}
