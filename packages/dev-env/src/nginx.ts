import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './end-with-this-process.ts';

export interface Nginx {
  url: string;
  /** The last lines of its error log. */
  output(): string;
  stop(): Promise<void>;
}

interface NginxOptions {
  /** Exists; nginx keeps its process id and what it buffers there. */
  folder: string;
  port: number;
  /** One for each replica. */
  replicaPorts: readonly number[];
}

const example = fileURLToPath(new URL('../../../examples/cluster/nginx.conf', import.meta.url));
const startWithinMs = 30_000;

/** For tests that need nginx: a title and whether to skip them. In CI they fail instead. */
export function testNginx(title: string): { title: string; isSkipped: boolean } {
  if (findNginx() !== undefined) return { title, isSkipped: false };
  const reason = 'no nginx on PATH; scripts/install-services.sh brings it';
  return { title: `${title} (${reason})`, isSkipped: process.env.CI !== 'true' };
}

/** nginx with the configuration that the guide shows, on other ports. */
export async function startNginx({ folder, port, replicaPorts }: NginxOptions): Promise<Nginx> {
  const program = findNginx();
  if (program === undefined) throw new Error('nginx is needed here; scripts/install-services.sh brings it.');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configuration(readFileSync(example, 'utf8'), { folder, port, replicaPorts }));
  // Its workers give up the rights of root, and could not write into the folder of root.
  const account = process.getuid?.() === 0 ? 'user root; ' : '';
  const server = spawn(program, ['-p', folder, '-c', file, '-g', `${account}daemon off;`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithThisProcess(server, 'TERM');
  let output = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-8_000);
  });
  const gone = once(server, 'exit');
  const url = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + startWithinMs;
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error(`nginx did not start:\n${output}`);
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

/** The example with our ports, and with folders in which nginx may write. */
function configuration(text: string, { folder, port, replicaPorts }: NginxOptions): string {
  const servers = /( *)server 127\.0\.0\.1:7301( [^;]*);(\s*server 127\.0\.0\.1:730\d [^;]*;)*/g;
  if (!servers.test(text) || !text.includes('listen 127.0.0.1:7300;'))
    throw new Error('examples/cluster/nginx.conf no longer has the addresses that tests replace.');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  return text
    .replace(servers, (_, indent: string, options: string) =>
      replicaPorts.map((each) => `${indent}server 127.0.0.1:${each}${options};`).join('\n'),
    )
    .replace('listen 127.0.0.1:7300;', `listen 127.0.0.1:${port};`)
    .replace('http {', `http {\n  ${paths}`);
}

/** Any answer counts: replicas may still be starting. */
async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

function findNginx(): string | undefined {
  // Debian keeps it where the PATH of a user may not look.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));
}
