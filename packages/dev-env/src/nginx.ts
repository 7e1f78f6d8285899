import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProxy, recipeWith, startProxy, testProgram } from './proxy-process.ts';

interface NginxOptions {
  folder: string;
  port: number;
  /** One for each replica. */
  replicaPorts: readonly number[];
}

/** For tests that need nginx: a title and whether to skip them. In CI they fail instead. */
export function testNginx(title: string): { title: string; isSkipped: boolean } {
  return testProgram('nginx', title);
}

/** nginx before replicas, with the configuration that people take, on other ports. */
export function startNginx({ folder, port, replicaPorts }: NginxOptions): Promise<RunningProxy> {
  const servers = /( *)server replica-1:7300( [^;]*);(\s*server replica-\d:7300 [^;]*;)*/g;
  const replicas = (_: string, indent: string, options: string): string =>
    replicaPorts.map((each) => `${indent}server 127.0.0.1:${each}${options};`).join('\n');
  const text = recipeWith('cluster/nginx.conf', [
    [servers, replicas],
    ['listen 7300;', `listen 127.0.0.1:${port};`],
  ]);
  return serveNginx({ folder, text, url: `http://127.0.0.1:${port}` });
}

/** Starts nginx with this configuration. It keeps its process id and what it buffers in the folder. */
export function serveNginx(options: { folder: string; text: string; url: string }): Promise<RunningProxy> {
  const { folder, text, url } = options;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, inFolder(text, folder));
  // Its workers give up the rights of root, and could not write into the folder of root.
  const account = process.getuid?.() === 0 ? 'user root; ' : '';
  return startProxy({
    program: 'nginx',
    args: ['-p', folder, '-c', file, '-g', `${account}daemon off;`],
    url,
  });
}

/** With folders in which nginx may write. */
function inFolder(text: string, folder: string): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join(' ');
  return text.replace('http {', `http {\n  ${paths}`);
}
