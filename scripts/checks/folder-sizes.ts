import { posix } from 'node:path';
import type { Finding } from './finding.ts';

export const maxFolderFiles = 25;

/** Folders of packages/server/src that may hold more files, each with its reason, as ARCHITECTURE.md states it. */
export const largeFolders: Readonly<Record<string, string>> = {
  'dispatch/migrations': 'a step that was released stays, in a file of its own',
};

const root = 'packages/server/src/';

/**
 * Finds folders whose listing is too long to be read at once. Tests stand beside their file and are not counted, nor are the files of
 * folders below.
 */
export function findLargeFolders(
  paths: readonly string[],
  { exceptions = largeFolders, architecture }: { exceptions?: typeof largeFolders; architecture: string },
): Finding[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    if (!path.startsWith(root) || path.includes('.test.')) continue;
    const folder = posix.dirname(path).slice(root.length);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const crowded = [...counts].filter(([folder, count]) => count > maxFolderFiles && !(folder in exceptions));
  return [
    ...crowded.map(([folder, count]) =>
      finding(folder, `${count} files, and at most ${maxFolderFiles} are allowed`),
    ),
    ...Object.entries(exceptions).flatMap(([folder, reason]) => {
      if ((counts.get(folder) ?? 0) <= maxFolderFiles)
        return [finding(folder, 'an exception, and the folder is small')];
      if (!architecture.includes(reason))
        return [finding(folder, 'an exception whose reason ARCHITECTURE.md does not state')];
      return [];
    }),
  ];
}

function finding(folder: string, found: string): Finding {
  return {
    file: `${root}${folder}`,
    line: 0,
    rule: 'small-folders',
    found,
    fix: 'divide the folder by what its files are about, or state a reason in folder-sizes.ts and ARCHITECTURE.md',
  };
}
