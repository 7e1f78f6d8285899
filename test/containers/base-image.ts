import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { podman, tryPodman } from './podman.ts';

const call = promisify(execFile);

/**
 * Returns the name of an image with Debian and the Node that runs this, which stands for the public one that users pull. It is kept, so
 * it is made once for each version of Node.
 */
export async function baseImage(): Promise<string> {
  const name = `localhost/switchyard-base:${process.versions.node}`;
  if ((await tryPodman(['image', 'exists', name])).code === 0) return name;
  const folder = temporaryFolder();
  try {
    const system = join(folder.path, 'system');
    await call('debootstrap', ['--variant=minbase', 'bookworm', system], { maxBuffer: 64 * 1024 * 1024 });
    rmSync(join(system, 'var/cache/apt/archives'), { recursive: true });
    addNode(join(system, 'usr/local'));
    const archive = join(folder.path, 'system.tar');
    await call('tar', ['--create', '--file', archive, '--directory', system, '.']);
    await podman('import', archive, name);
  } finally {
    folder.remove();
  }
  return name;
}

/** Node's own archives and Debian's packages have npm at the same place beside the program. */
function addNode(target: string): void {
  const npm = join(dirname(process.execPath), '../lib/node_modules/npm');
  if (!existsSync(npm)) throw new Error(`There is no npm at ${npm}, beside the Node that runs this.`);
  mkdirSync(join(target, 'lib/node_modules'), { recursive: true });
  cpSync(npm, join(target, 'lib/node_modules/npm'), { recursive: true });
  cpSync(process.execPath, join(target, 'bin/node'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(target, 'bin', name));
}
