/**
 * Starts a Postgres server for tests, keeps it for as long as its owner lives, then removes it with its folder. A process
 * of its own, so that a test run that is killed leaves nothing behind.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from './is-process-alive.ts';

export interface KeeperTask {
  /** Exists, and belongs to the account that the server runs as. */
  folder: string;
  binaries: string;
  /** The process that this one follows: when it ends, this process ends. */
  owner: number;
  isDurable: boolean;
  account: { uid: number; gid: number } | undefined;
}

const { folder, binaries, owner, isDurable, account }: KeeperTask = JSON.parse(process.argv[2] ?? '{}');
const data = join(folder, 'data');
const lookEveryMs = 250;
const keptLines = 40;
const output: string[] = [];

const quick = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const settings = {
  listen_addresses: '',
  unix_socket_directories: folder,
  max_connections: '300',
  shared_buffers: '64MB',
  ...(isDurable ? {} : quick),
};

process.on('SIGINT', () => undefined); // the terminal sends it to all processes, but only the end of the owner counts

const initialising = ['-D', data, '-U', 'switchyard', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
start('initdb', initialising).once('close', (code) => (code === 0 ? serve() : fail()));

function serve(): void {
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = start('postgres', ['-D', data, ...options]);
  let isReady = false;
  server.stderr.on('data', (text: string) => {
    if (isReady || !text.includes('ready to accept connections')) return;
    isReady = true;
    announce('ready', '');
  });
  whenOwnerEnds(() => server.kill('SIGQUIT'));
  server.once('close', () => (isReady ? remove() : fail()));
}

function start(program: string, options: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(join(binaries, program), options, { cwd: folder, ...account });
  child.once('error', (error) => output.push(String(error)));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.push(...text.split('\n'));
      output.splice(0, output.length - keptLines);
    });
  }
  return child;
}

/** Writes the reason for the process that waits. */
function fail(): void {
  announce('failed', output.join('\n'));
  whenOwnerEnds(remove);
}

function announce(name: string, text: string): void {
  writeFileSync(join(folder, `.${name}`), text);
  renameSync(join(folder, `.${name}`), join(folder, name));
}

function remove(): void {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
}

function whenOwnerEnds(act: () => void): void {
  setInterval(() => {
    if (!isProcessAlive(owner)) act();
  }, lookEveryMs);
}
