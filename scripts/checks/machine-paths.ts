import type { Finding } from './finding.ts';

/** Folders that exist on one machine only: the checkout's own, and the homes of people. */
export function machineFolders(root: string, home: string): string[] {
  const parent = root.slice(0, root.lastIndexOf('/'));
  const folders = [parent, home, '/Users'].filter((folder) => folder !== '' && folder !== '/tmp');
  return [...folders.map((folder) => `${folder}/`), 'C:\\Users'];
}

export function findMachinePaths(path: string, text: string, folders: readonly string[]): Finding[] {
  return text.split('\n').flatMap((line, index) => {
    const folder = folders.find((candidate) => startsAPath(line, candidate));
    if (folder === undefined) return [];
    return {
      file: path,
      line: index + 1,
      rule: 'no-machine-paths',
      found: folder,
      fix: 'write the path relative to the repository, or take it as an option',
    };
  });
}

/** `/opt/x` is a path of its own; in `docs/opt/x` the same characters are part of another. */
function startsAPath(line: string, folder: string): boolean {
  for (let at = line.indexOf(folder); at >= 0; at = line.indexOf(folder, at + 1)) {
    if (!/[\w.\-\]})>*]/.test(line[at - 1] ?? ' ')) return true;
  }
  return false;
}
