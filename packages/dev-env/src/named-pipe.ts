import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const program = 'mkfifo';

/**
 * For tests of named pipes: a title, whether to skip them, and a pipe. Node cannot make one, so the tests are skipped
 * with the reason in their title when the system has no program for it. In CI they fail instead.
 */
export function testNamedPipe(title: string): {
  title: string;
  isSkipped: boolean;
  createPipe(path: string): void;
} {
  const createPipe = (path: string): void => {
    execFileSync(program, [path]);
  };
  if (isOnPath(program)) return { title, isSkipped: false, createPipe };
  return { title: `${title} (no ${program} on PATH)`, isSkipped: process.env.CI !== 'true', createPipe };
}

function isOnPath(name: string): boolean {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => existsSync(join(folder, name)));
}
