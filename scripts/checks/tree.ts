import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Every file that is, or would be, committed: tracked or new, but not ignored. */
export function listFiles(root: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const paths = listed.split('\0').filter((path) => path !== '' && existsSync(`${root}/${path}`));
  return [...new Set(paths)].sort();
}
