import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { baseImage } from './base-image.ts';
import { podman } from './podman.ts';

const call = promisify(execFile);
export const repository = fileURLToPath(new URL('../..', import.meta.url));
const certificates = '/etc/ssl/certs';

/** Packs the package, where `deploy/Dockerfile` expects it, and returns the path of the file. */
export async function packPackage(): Promise<string> {
  return (await call(process.execPath, [join(repository, 'scripts/pack.mjs')])).stdout.trim();
}

/** Builds `deploy/Dockerfile` as the guide says, with a base that was made here. `context` replaces the repository. */
export async function buildImage(
  name: string,
  { context = repository, args = [] }: { context?: string; args?: string[] } = {},
): Promise<void> {
  const folder = temporaryFolder();
  try {
    const secret = join(folder.path, 'npmrc');
    writeFileSync(secret, await npmSettings(), { mode: 0o600 });
    await podman(
      'build',
      ...['--format', 'docker', '--isolation', 'chroot', '--network', 'host', '--layers'],
      ...['--build-arg', `BASE=${await baseImage()}`, '--secret', `id=npmrc,src=${secret}`],
      ...(existsSync(certificates) ? ['--volume', `${certificates}:${certificates}:ro`] : []),
      ...['--file', join(repository, 'deploy/Dockerfile'), '--tag', name, ...args, context],
    );
  } finally {
    folder.remove();
  }
}

/** Where the npm of this machine gets its packages from, and whom it trusts. */
async function npmSettings(): Promise<string> {
  const names = ['registry', 'cafile', 'https-proxy', 'noproxy'];
  const values = await Promise.all(
    names.map(async (name) => (await call('npm', ['config', 'get', name])).stdout.trim()),
  );
  const isSet = (value = ''): boolean => !['', 'null', 'undefined'].includes(value);
  return names.map((name, place) => (isSet(values[place]) ? `${name}=${values[place]}\n` : '')).join('');
}
