import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';

/** More than the gateway leaves free on every disk. */
const sizeBytes = 400 * 1024 * 1024;
const partBytes = 1024 * 1024;

/** A disk of its own in memory, small enough to be filled. */
export interface SmallDisk {
  path: string;
  /** Writes until the disk takes no more. */
  fill(): void;
  free(): void;
  remove(): void;
}

/** A user namespace in which the account stays who it is and may mount disks that nothing else sees. */
export const namespace = ['--user', '--map-current-user', '--keep-caps', '--mount'];
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** For tests that need a disk of their own: a title and whether to skip them. In CI they fail instead. */
export function testSmallDisk(title: string): { title: string; isSkipped: boolean } {
  const disk = mountSmallDisk();
  disk?.remove();
  if (disk !== null || mayMountInNamespace()) return { title, isSkipped: false };
  const reason =
    'this account may mount no disk, and the system lets it have no user namespace in which it could';
  return { title: `${title} (${reason})`, isSkipped: process.env.CI !== 'true' };
}

/** Returns null where this account may not mount a disk. */
export function mountSmallDisk(): SmallDisk | null {
  const folder = temporaryFolder();
  const path = join(folder.path, 'disk');
  mkdirSync(path);
  if (run('mount', '-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'switchyard-drill', path) !== 0) {
    folder.remove();
    return null;
  }
  const ballast = join(path, 'ballast');
  return {
    path,
    fill: () => {
      const file = openSync(ballast, 'w');
      const part = Buffer.alloc(partBytes, 1);
      try {
        for (;;) writeSync(file, part);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast),
    remove: () => {
      run('umount', '--lazy', path);
      folder.remove();
    },
  };
}

/** Runs a file of drills once more, in a namespace in which it may mount a disk. Returns the exit code and what was said. */
export async function runInNamespace(file: string): Promise<{ code: number | null; output: string }> {
  if (process.env.DRILL_IN_NAMESPACE === 'true')
    throw new Error('The disk of this drill could not be mounted in the namespace either.');
  // The test runner would take its own marks for those of the run around it.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  const args = [...namespace, process.execPath, vitest, 'run', '--project', 'drill', file];
  const child = spawn('unshare', args, {
    env: { ...env, CI: 'true', DRILL_IN_NAMESPACE: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output };
}

function mayMountInNamespace(): boolean {
  const folder = temporaryFolder();
  const mount = ['mount', '-t', 'tmpfs', 'switchyard-drill', folder.path];
  const status = run('unshare', ...namespace, ...mount);
  folder.remove();
  return status === 0;
}

function run(program: string, ...args: string[]): number | null {
  return spawnSync(program, args, { stdio: 'ignore' }).status;
}
