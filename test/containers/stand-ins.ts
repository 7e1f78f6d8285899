import { join } from 'node:path';
import { baseImage } from './base-image.ts';
import { repository } from './gateway-image.ts';
import { podman } from './podman.ts';

/**
 * Makes what stands for the public images of compose.cluster.yaml on a machine that pulls none, and returns the variables that name them.
 */
export async function standIns(): Promise<Record<string, string>> {
  const folder = join(repository, 'test/containers/stand-ins');
  const variables: Record<string, string> = {};
  for (const target of ['postgres', 'redis', 'nginx']) {
    const name = `localhost/switchyard-stand-in:${target}`;
    await podman(
      'build',
      ...['--format', 'docker', '--isolation', 'chroot', '--network', 'host', '--layers'],
      ...['--build-arg', `BASE=${await baseImage()}`, '--target', target, '--tag', name, folder],
    );
    variables[`${target.toUpperCase()}_IMAGE`] = name;
  }
  return variables;
}
