import {
  chmod,
  copyFile,
  mkdir,
  open,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { nodeDisk } from '../../platform/files/disk.ts';

/** Every step by which a migration changes the disk, so that a test can end the process at any of them. */
export interface MoveDisk {
  rename: (from: string, to: string) => Promise<void>;
  makeFolder: (path: string) => Promise<void>;
  /** Makes the folder accessible to its owner only. */
  makePrivate: (folder: string) => Promise<void>;
  copyFile: (from: string, to: string, meta: FileMeta) => Promise<void>;
  copyLink: (from: string, to: string) => Promise<void>;
  writeText: (path: string, text: string) => Promise<void>;
  /** Removes a file, a link, or a folder with its content. */
  remove: (path: string) => Promise<void>;
  removeEmpty: (path: string) => Promise<void>;
  syncFolder: (path: string) => Promise<void>;
}

interface FileMeta {
  mode: number;
  atime: Date;
  mtime: Date;
}

export const nodeMoveDisk: MoveDisk = {
  rename,
  makeFolder: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  makePrivate: (folder) => chmod(folder, 0o700),
  copyFile: copyWhole,
  copyLink: async (from, to) => symlink(await readlink(from), to),
  writeText: (path, text) => writeFile(path, text, { mode: 0o600, flush: true }),
  remove: (path) => rm(path, { recursive: true, force: true }),
  removeEmpty: rmdir,
  syncFolder: nodeDisk.syncDirectory,
};

async function copyWhole(from: string, to: string, { mode, atime, mtime }: FileMeta): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(to, mode & 0o777);
  await utimes(to, atime, mtime);
}
