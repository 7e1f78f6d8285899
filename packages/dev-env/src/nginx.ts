import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './end-with-this-process.ts';
import { selfSigned } from './self-signed.ts';

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

interface HttpsNginxOptions {
  folder: string;
  port: number;
  /** For plain HTTP, which leads to HTTPS. */
  plainPort: number;
  gatewayPort: number;
}

const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const startWithinMs = 120_000;

/** For tests that need nginx: a title and whether to skip them. In CI they fail instead. */
export function testNginx(title: string): { title: string; isSkipped: boolean } {
  if (findNginx() !== undefined) return { title, isSkipped: false };
  const reason = 'no nginx on PATH; scripts/install-services.sh brings it';
  return { title: `${title} (${reason})`, isSkipped: process.env.CI !== 'true' };
}

/** nginx before replicas, with the configuration that the guide shows, on other ports. */
export function startNginx({ folder, port, replicaPorts }: NginxOptions): Promise<Nginx> {
  const servers = /( *)server 127\.0\.0\.1:7301( [^;]*);(\s*server 127\.0\.0\.1:730\d [^;]*;)*/g;
  const replicas = (_: string, indent: string, options: string): string =>
    replicaPorts.map((each) => `${indent}server 127.0.0.1:${each}${options};`).join('\n');
  const text = recipeWith('cluster/nginx.conf', [
    [servers, replicas],
    ['listen 127.0.0.1:7300;', `listen 127.0.0.1:${port};`],
  ]);
  return serve({ folder, text, url: `http://127.0.0.1:${port}` });
}

/** nginx with TLS before one gateway, with the configuration that the guide shows, and a certificate for tests. */
export function startHttpsNginx({ folder, port, plainPort, gatewayPort }: HttpsNginxOptions): Promise<Nginx> {
  const certificate = join(folder, 'certificate.pem');
  const key = join(folder, 'key.pem');
  writeFileSync(certificate, selfSigned.cert);
  writeFileSync(key, selfSigned.key, { mode: 0o600 });
  const text = recipeWith('proxies/nginx.conf', [
    ['listen 80;', `listen 127.0.0.1:${plainPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['https://$host$request_uri', `https://$host:${port}$request_uri`],
    ['/etc/letsencrypt/live/switchyard.example.com/fullchain.pem', certificate],
    ['/etc/letsencrypt/live/switchyard.example.com/privkey.pem', key],
    ['http://127.0.0.1:7300', `http://127.0.0.1:${gatewayPort}`],
  ]);
  return serve({ folder, text, url: `http://127.0.0.1:${plainPort}` });
}

async function serve({ folder, text, url }: { folder: string; text: string; url: string }): Promise<Nginx> {
  const program = findNginx();
  if (program === undefined) throw new Error('nginx is needed here; scripts/install-services.sh brings it.');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, inFolder(text, folder));
  // Its workers give up the rights of root, and could not write into the folder of root.
  const account = process.getuid?.() === 0 ? 'user root; ' : '';
  const server = spawn(program, ['-p', folder, '-c', file, '-g', `${account}daemon off;`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  endWithThisProcess(server, 'TERM');
  let output = '';
  server.stderr.setEncoding('utf8').on('data', (said: string) => {
    output = (output + said).slice(-8_000);
  });
  const gone = once(server, 'exit');
  const deadline = Date.now() + startWithinMs;
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() > deadline) {
      server.kill('SIGKILL');
      throw new Error(`nginx did not start:\n${output}`);
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
function recipeWith(name: string, replacements: readonly Replacement[]): string {
  return replacements.reduce(
    (text, [what, by]) => {
      const replaced = typeof by === 'string' ? text.replace(what, () => by) : text.replace(what, by);
      if (replaced === text) throw new Error(`deploy/${name} no longer has ${what}, which tests replace.`);
      return replaced;
    },
    readFileSync(join(deploy, name), 'utf8'),
  );
}

/** With folders in which nginx may write. */
function inFolder(text: string, folder: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  return text.replace('http {', `http {\n  ${paths}`);
}

/** Any answer counts: replicas may still be starting. */
async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { redirect: 'manual' })).arrayBuffer();
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
