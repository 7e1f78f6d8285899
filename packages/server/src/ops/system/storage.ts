import { type SystemReport, systemLimits } from '@switchyard/contract/system';
import { toIso } from '../../lib/clock.ts';
import { databaseSize } from '../../platform/database/database-size.ts';
import type { MeasuredFolders } from './folder-sizes.ts';
import type { SystemRows } from './system-rows.ts';

/** Returns what is stored, by its kind and by its user. */
export async function storageOf(
  rows: SystemRows,
  measured: MeasuredFolders | null,
): Promise<Omit<SystemReport['storage'], 'freeBytes'>> {
  const files = (await rows.upkeep?.storage(systemLimits.users)) ?? { bytes: 0, count: 0, top: [] };
  const threads = [...(measured?.byUser.values() ?? [])].reduce((sum, bytes) => sum + bytes, 0);
  return {
    byKind: [
      { kind: 'files', bytes: files.bytes, count: files.count },
      { kind: 'threads', bytes: threads, count: null },
      { kind: 'thumbnails', bytes: measured?.thumbnails ?? 0, count: null },
      { kind: 'other', bytes: measured?.other ?? 0, count: null },
      { kind: 'database', bytes: await databaseSize(rows.database), count: null },
    ],
    byUser: await byUser(files.top, { measured, rows }),
    foldersTakenAt: measured && toIso(measured.takenAtMs),
    foldersComplete: measured?.isComplete ?? false,
  };
}

async function byUser(
  top: readonly { owner: string; bytes: number; count: number }[],
  { measured, rows }: { measured: MeasuredFolders | null; rows: SystemRows },
): Promise<SystemReport['storage']['byUser']> {
  const ofFiles = new Map(top.map((entry) => [entry.owner, entry]));
  const ids = new Set([...ofFiles.keys(), ...(measured?.byUser.keys() ?? [])]);
  const users = [...ids].map((userId) => ({
    userId,
    fileBytes: ofFiles.get(userId)?.bytes ?? 0,
    files: ofFiles.get(userId)?.count ?? 0,
    threadBytes: measured?.byUser.get(userId) ?? 0,
  }));
  const most = users
    .sort((a, b) => b.fileBytes + b.threadBytes - (a.fileBytes + a.threadBytes))
    .slice(0, systemLimits.users);
  return Promise.all(most.map(async (user) => ({ ...user, email: await rows.emailOf(user.userId) })));
}
