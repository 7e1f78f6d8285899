import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { endWithThisProcess } from './end-with-this-process.ts';
import type { PostgresServer } from './postgres.ts';
import { findPostgres } from './postgres-binaries.ts';
import {
  createDatabase,
  dataFolder,
  initArguments,
  keptLines,
  serverAccount,
  serverArguments,
} from './postgres-server.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A Postgres of one test, which can be ended and started again, and may have a clock of its own. */
export interface OwnPostgres extends PostgresServer {
  /** The last lines of its log. */
  output(): string;
  /** Ends it as an operator does who does not wait for its clients: transactions are undone, connections break. */
  end(): Promise<void>;
  /** Starts it again after `end`, with the same data and the same socket. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

interface OwnPostgresOptions {
  /** Added to the environment of the server. */
  env?: Record<string, string>;
}

export async function startOwnPostgres({ env = {} }: OwnPostgresOptions = {}): Promise<OwnPostgres> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(`Postgres is needed here: ${found.missing}.`);
  const { path: folder, remove } = temporaryFolder();
  const account = serverAccount();
  // The server makes its folder and its socket here, and asks for no password. So no other account may enter.
  if (account) chownSync(folder, account.uid, account.gid);
  const data = dataFolder(folder);
  const lines: string[] = [];
  const run = (program: string, args: string[]): ChildProcess => {
    const child = spawn(join(found.folder, program), args, {
      cwd: folder,
      env: { ...process.env, ...env },
      ...account,
    });
    endWithThisProcess(child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.trimEnd().split('\n'));
        lines.splice(0, lines.length - keptLines);
      });
    return child;
  };
  const output = (): string => lines.join('\n');

  const [code] = await once(run('initdb', initArguments(data)), 'close');
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${output()}`);
  let server: ChildProcess;
  const restart = async (): Promise<void> => {
    server = run('postgres', serverArguments({ data, folder, isDurable: false }));
    await untilReady(server, output);
  };
  const end = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'close');
    server.kill('SIGINT');
    await ended;
  };
  await restart();
  return {
    createDatabase: () => createDatabase(folder),
    output,
    end,
    restart,
    stop: async () => {
      await end();
      remove();
    },
  };
}

async function untilReady(server: ChildProcess, output: () => string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let said = '';
    const listen = (text: string): void => {
      said += text;
      if (!said.includes('ready to accept connections')) return;
      server.stderr?.off('data', listen);
      resolve();
    };
    server.stderr?.on('data', listen);
    server.once('error', reject);
    server.once('close', () => reject(new Error(`Postgres ended at once:\n${output()}`)));
  });
}
