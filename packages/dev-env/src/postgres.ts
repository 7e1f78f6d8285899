import { spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type { PostgresOptions } from '@switchyard/server/platform/database/postgres/postgres-connections';
import { findPostgres } from './postgres-binaries.ts';
import type { KeeperTask } from './postgres-keeper.ts';
import { createDatabase, serverAccount } from './postgres-server.ts';

export interface PostgresServer {
  /** The address of a new, empty database. */
  createDatabase(): Promise<string>;
}

interface StartOptions {
  /** Syncs to the disk as in production, which few tests need and which costs time. */
  isDurable?: boolean;
  /** Counts statements in `pg_stat_statements`, for a measure. */
  countsStatements?: boolean;
}

const startWithinMs = 60_000;
/** Shorter than the time limit of a test, so that the error says what it waited for. */
const patienceMs = 90_000;
const keeper = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url));

/**
 * For tests that need Postgres: a title, whether to skip them, and databases. On a machine without Postgres the tests
 * are skipped with the reason in their title. In CI they fail instead.
 */
export function testPostgres(title: string): {
  title: string;
  isSkipped: boolean;
  createDatabase(): Promise<string>;
} {
  const found = findPostgres();
  const createDatabase = async (): Promise<string> => (await startPostgres()).createDatabase();
  if ('folder' in found) return { title, isSkipped: false, createDatabase };
  return { title: `${title} (${found.missing})`, isSkipped: process.env.CI !== 'true', createDatabase };
}

/** One server per test run: the first caller starts it, and it ends with the test run, however that ends. */
export async function startPostgres({
  isDurable = false,
  countsStatements = false,
}: StartOptions = {}): Promise<PostgresServer> {
  const found = findPostgres();
  if ('missing' in found) throw new Error(`Postgres is needed here: ${found.missing}.`);
  const owner = runOwner();
  const folder = join(
    tmpdir(),
    `switchyard-pg-${owner}${isDurable ? '-durable' : ''}${countsStatements ? '-counting' : ''}`,
  );
  if (createsFolder(folder)) keep({ folder, owner, isDurable, countsStatements, binaries: found.folder });
  await untilReady(folder);
  return { createDatabase: () => createDatabase(folder) };
}

/**
 * Returns the options with which a test opens a database. A caller of a gateway gets an error within seconds when the database does not answer; a test waits as
 * long as a busy machine takes.
 */
export function patientPostgres(url: string, poolSize: number): PostgresOptions & { backend: 'postgres' } {
  const limits = {
    connectMs: patienceMs,
    statementMs: patienceMs,
    answerMs: patienceMs,
    standstillMs: patienceMs,
  };
  return { backend: 'postgres', url, poolSize, limits };
}

/** The process whose end is the end of the test run: vitest itself. This code may run in a thread or a child of it. */
function runOwner(): number {
  const isChildOfRunner = isMainThread && process.env.VITEST_POOL_ID !== undefined;
  return isChildOfRunner ? process.ppid : process.pid;
}

function createsFolder(folder: string): boolean {
  try {
    // The server asks for no password, so no other account may reach its socket.
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Starts the process that starts, watches and removes the server. It may outlive this process, but not the owner. */
function keep(order: Omit<KeeperTask, 'account'>): void {
  const account = serverAccount();
  if (account) chownSync(order.folder, account.uid, account.gid);
  const task: KeeperTask = { ...order, account };
  spawn(process.execPath, ['--import', 'tsx', keeper, JSON.stringify(task)], {
    cwd: dirname(keeper),
    detached: true,
    stdio: 'ignore',
  }).unref();
}

async function untilReady(folder: string): Promise<void> {
  const deadline = Date.now() + startWithinMs;
  while (Date.now() < deadline) {
    if (existsSync(join(folder, 'ready'))) return;
    const failure = join(folder, 'failed');
    if (existsSync(failure)) throw new Error(`Postgres did not start:\n${readFileSync(failure, 'utf8')}`);
    await sleep(25);
  }
  throw new Error(`Postgres was not ready within ${startWithinMs / 1000} s. Its folder is ${folder}.`);
}
