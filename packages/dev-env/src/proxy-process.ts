import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './end-with-this-process.ts';

/** A reverse proxy as a child process. */
export interface RunningProxy {
  url: string;
  /** The last lines of its output. */
  output(): string;
  stop(): Promise<void>;
}

interface ProxyOptions {
  program: string;
  args: readonly string[];
  env?: Record<string, string>;
  /** Any answer from here shows that the proxy has started. */
  url: string;
}

const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const startWithinMs = 120_000;

/** For tests that need a program of the system: a title and whether to skip them. In CI they fail instead. */
export function testProgram(program: string, title: string): { title: string; isSkipped: boolean } {
  if (findProgram(program) !== undefined) return { title, isSkipped: false };
  const reason = `no ${program} on PATH; scripts/install-services.sh brings it`;
  return { title: `${title} (${reason})`, isSkipped: process.env.CI !== 'true' };
}

export async function startProxy({ program, args, env = {}, url }: ProxyOptions): Promise<RunningProxy> {
  const path = findProgram(program);
  if (path === undefined)
    throw new Error(`${program} is needed here; scripts/install-services.sh brings it.`);
  const { PATH = '' } = process.env;
  const server = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, ...env } });
  endWithThisProcess(server, 'TERM');
  let output = '';
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('utf8').on('data', (said: string) => {
      output = (output + said).slice(-8_000);
    });
  const gone = once(server, 'exit');
  const deadline = Date.now() + startWithinMs;
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new Error(`${program} did not start:\n${output}`);
    }
    await sleep(20);
  }
  return {
    url,
    output: () => output,
    stop: async () => {
      server.kill('SIGTERM');
      await gone;
    },
  };
}

type Replacement = readonly [what: string | RegExp, by: string | ((...match: string[]) => string)];

/** A file of `deploy` with the addresses of a test. */
export function recipeWith(name: string, replacements: readonly Replacement[]): string {
  return replacements.reduce(
    (text, [what, by]) => {
      const replaced = typeof by === 'string' ? text.replace(what, () => by) : text.replace(what, by);
      if (replaced === text) throw new Error(`deploy/${name} no longer has ${what}, which tests replace.`);
      return replaced;
    },
    readFileSync(join(deploy, name), 'utf8'),
  );
}

/** Any answer counts: gateways may still be starting. */
async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function findProgram(name: string): string | undefined {
  // Debian keeps some where the PATH of a user may not look.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
