import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { delimiter, join } from 'node:path';
import { endWithThisProcess } from './end-with-this-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A Redis server of a test. What it holds is in memory, so a server that is killed comes back empty. */
export interface RedisProcess {
  /** The value for `bus.url`: the path of its unix socket. */
  readonly url: string;
  readonly isFrozen: boolean;
  /** Sends one command and returns the beginning of the reply as it crosses the wire. */
  command(...words: string[]): Promise<string>;
  /** Drops everything that it holds. */
  flush(): Promise<void>;
  /** The server stands still: connections stay open, and nothing is answered. */
  freeze(): void;
  thaw(): void;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same socket. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

const programs = ['redis-server', 'valkey-server'];

/** As a cluster has it: everything in it may be lost, but it must not choose what. */
export const redisSettings = { save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction' };

/**
 * For tests that need Redis: a title and whether to skip them. On a machine without Redis the tests are skipped with the
 * reason in their title. In CI they fail instead.
 */
export function testRedis(title: string): { title: string; isSkipped: boolean } {
  if (findRedis() !== undefined) return { title, isSkipped: false };
  const reason = 'no redis-server on PATH; scripts/install-services.sh brings it';
  return { title: `${title} (${reason})`, isSkipped: process.env.CI !== 'true' };
}

/** A server of its own for each caller, on a unix socket in a temporary folder. `settings` are those of redis.conf. */
export async function startRedis(settings: Record<string, string> = {}): Promise<RedisProcess> {
  const program = findRedis();
  if (program === undefined) throw new Error('redis-server is needed here and not on PATH.');
  const folder = temporaryFolder();
  const socket = join(folder.path, 'redis.sock');
  const all = {
    port: '0',
    unixsocket: socket,
    dir: folder.path,
    ...redisSettings,
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  let server = await start(program, args);
  let isFrozen = false;
  const send = (signal: NodeJS.Signals): void => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(server.pid, signal);
  };
  const kill = async (): Promise<void> => {
    isFrozen = false;
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    send('SIGKILL');
    await exited;
  };
  const command = (...words: string[]): Promise<string> => ask(socket, words);
  return {
    url: socket,
    get isFrozen() {
      return isFrozen;
    },
    command,
    flush: async () => {
      await command('FLUSHALL');
    },
    freeze: () => {
      isFrozen = true;
      send('SIGSTOP');
    },
    thaw: () => {
      isFrozen = false;
      send('SIGCONT');
    },
    kill,
    restart: async () => {
      server = await start(program, args);
    },
    stop: async () => {
      await kill();
      folder.remove();
    },
  };
}

function findRedis(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = programs.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((candidate) => existsSync(candidate));
}

async function start(program: string, args: readonly string[]): Promise<ChildProcess> {
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  endWithThisProcess(server);
  let output = '';
  await new Promise<void>((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
      if (/ready to accept connections/i.test(output)) resolve();
    });
    server.stderr.resume();
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`redis-server ended at once:\n${output}`)));
  });
  return server;
}

function ask(socket: string, words: readonly string[]): Promise<string> {
  const request = [`*${words.length}`, ...words.flatMap((word) => [`$${Buffer.byteLength(word)}`, word]), ''];
  return new Promise((resolve, reject) => {
    const connection = createConnection(socket, () => connection.write(request.join('\r\n')));
    connection.once('error', reject);
    connection.once('data', (reply: Buffer) => {
      connection.destroy();
      resolve(reply.toString().trimEnd());
    });
  });
}
