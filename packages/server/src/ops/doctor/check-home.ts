import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '@switchyard/contract/shell-word';
import type { Config } from '../../config/schema.ts';
import { formatSize } from '../../lib/size.ts';
import { type Disk, nodeDisk } from '../../platform/files/disk.ts';
import { diskReserveBytes, writtenFolders } from '../options-of-config.ts';
import { type Finding, well, wrong } from './finding.ts';

/** Looks at the folders in which the gateway writes: whether they can be used, and who else can look into them. */
export function checkHome(config: Config): Finding[] {
  const findings = [...new Set(writtenFolders(config))].map(folderFinding);
  // A fault of a folder is a fault of each folder in it, so it is reported once.
  return findings.filter(
    ({ says }, index) => findings.findIndex((earlier) => earlier.says === says) === index,
  );
}

function folderFinding(folder: string): Finding {
  const nearest = nearestExisting(folder);
  if (!statSync(nearest).isDirectory()) {
    const how = `mv ${shellWord(nearest)} ${shellWord(`${nearest}.old`)}`;
    return wrong('home', `${nearest} is not a folder, and the gateway needs one there.`, how);
  }
  if (!mayWrite(nearest)) {
    const how = `sudo chown -R "$(id -un)" ${shellWord(nearest)}`;
    return wrong('home', `This user may not write in ${nearest}. Run this as the user of the gateway.`, how);
  }
  if (nearest !== folder) return well('home', `${folder} is not there yet. The first start makes it.`);
  if (isOpenToOthers(folder, 0o007)) {
    return wrong(
      'home',
      `Other users of this machine can look into ${folder}.`,
      `chmod o= ${shellWord(folder)}`,
    );
  }
  return well('home', `${folder} can be written, and other users of this machine cannot look into it.`);
}

/** Returns the folder itself, or the closest folder above it that exists: the first start makes the rest. */
function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function mayWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false; // The finding says what to do about it, whatever the reason.
  }
}

/** Windows has other rights, which Node does not show. */
export function isOpenToOthers(path: string, bits: number): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & bits) !== 0;
}

/** Looks at the free space of each folder in which the gateway writes. */
export async function checkDisk(
  config: Config,
  disk: Pick<Disk, 'freeBytes'> = nodeDisk,
): Promise<Finding[]> {
  const folders = [...new Set(writtenFolders(config).map(nearestExisting))];
  return Promise.all(
    folders.map(async (folder) => {
      const bytes = await disk.freeBytes(folder);
      const free = `The disk of ${folder} has ${formatSize(bytes - (bytes % mega))} free`;
      if (bytes >= diskReserveBytes) return well('disk', `${free}.`);
      const says = `${free}. Below ${formatSize(diskReserveBytes)} the gateway refuses uploads and outputs.`;
      return wrong('disk', says, `du -xh -d 2 ${shellWord(folder)} | sort -h | tail`);
    }),
  );
}

const mega = 1024 * 1024;

/** Returns the SQLite file, or null when the rows are elsewhere. */
export function sqliteFileOf({ database }: Config): string | null {
  return database.backend === 'sqlite' ? join(database.sqlite_dir, 'switchyard.db') : null;
}
