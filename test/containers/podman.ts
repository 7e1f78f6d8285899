import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Images and containers of these tests stand here, apart from those of the machine. */
const folder = fileURLToPath(new URL('../../.build/containers', import.meta.url));
const keptCharacters = 16 * 1024;

/**
 * runc starts containers on machines with both kinds of control groups as well. Limits are named because podman would raise them,
 * which is a right that not every machine gives.
 */
const settings = `
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
[network]
network_backend = "netavark"
`;

interface PodmanResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** What podman needs of its environment, for itself and for programs that start it. */
export function podmanEnvironment(): Record<string, string> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'containers.conf');
  writeFileSync(file, settings);
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, CONTAINERS_CONF: file };
}

export const podmanArguments = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')];

/** Calls podman and returns what it prints. Throws with its complaint when it fails. */
export async function podman(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await tryPodman(args);
  if (code !== 0) throw new Error(`podman ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout.trim();
}

export async function tryPodman(args: readonly string[], input = ''): Promise<PodmanResult> {
  const child = spawn('podman', [...podmanArguments, ...args], { env: podmanEnvironment() });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] = (said[name] + text).slice(-keptCharacters);
    });
  }
  // A program that ends without reading its input is no fault of the test.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}
