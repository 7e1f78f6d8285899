/**
 * Starts a Postgres server for tests, keeps it for as long as its owner lives, then removes it with its folder. A process
 * of its own, so that a test run that is killed leaves nothing behind.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from './is-process-alive.ts';
import { type Account, dataFolder, initArguments, keptLines, serverArguments } from './postgres-server.ts';

export interface KeeperTask {
  /** Exists, and belongs to the account that the server runs as. */
  folder: string;
  binaries: string;
  /** The process that this one follows: when it ends, this process ends. */
  owner: number;
  isDurable: boolean;
  countsStatements: boolean;
  account: Account | undefined;
}

const { folder, binaries, owner, isDurable, countsStatements, account }: KeeperTask = JSON.parse(
  process.argv[2] ?? '{}',
);
const data = dataFolder(folder);
const lookEveryMs = 250;
const output: string[] = [];

process.on('SIGINT', () => undefined); // the terminal sends it to all processes, but only the end of the owner counts

start('initdb', initArguments(data)).once('close', (code) => (code === 0 ? serve() : fail()));

function serve(): void {
  const server = start('postgres', serverArguments({ data, folder, isDurable, countsStatements }));
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
