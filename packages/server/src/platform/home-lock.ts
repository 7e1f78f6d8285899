import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, toIso } from '../lib/clock.ts';
import { isProcessAlive } from '../lib/is-process-alive.ts';
import { isSqliteBusy } from './database/database-errors.ts';
import { SqliteConnection } from './database/sqlite/sqlite-connection.ts';

export interface HomeLock {
  release(): void;
}

/** A folder that one gateway has for itself, and the files in it that say so. */
interface Owned {
  folder: string;
  lockFile: string;
  holderFile: string;
  /** `holder` is what is known about it, in brackets. */
  refusal: (holder: string) => string;
}

interface Holder {
  pid: number;
  since: string;
  /** Known once the holder is ready. */
  url: string | undefined;
}

/**
 * Only SQLite may open this file: the system drops the lock of a process that closes any handle of it, even one that
 * only reads.
 */
const ofHome = (home: string): Owned => ({
  folder: home,
  lockFile: 'home.lock',
  holderFile: 'home.lock.json',
  refusal: (holder) =>
    `Another gateway uses the data home ${home}${holder}. Stop it, or choose another home with --home or SWITCHYARD_HOME; replicas share a database.backend postgres, not a home.`,
});
const ofDatabase = (folder: string): Owned => ({
  folder,
  lockFile: 'database.lock',
  holderFile: 'database.lock.json',
  refusal: (holder) =>
    `Another gateway uses the database in ${folder}${holder}. Stop it, or choose another folder with database.sqlite_dir; replicas share a database.backend postgres, not a file.`,
});
const ofBackups = (folder: string): Owned => ({
  folder,
  lockFile: 'backup.lock',
  holderFile: 'backup.lock.json',
  refusal: (holder) =>
    `Another process takes a backup into ${folder}${holder}. Wait until it has ended, or name another folder.`,
});

/** Written when the gateway is ready. */
const addressFile = 'gateway.json';

/** A holder writes its name right after it has the lock. This is the maximum wait for that moment. */
const nameWithinMs = 2_000;
const lookEveryMs = 10;

/**
 * Makes this process the only gateway of a data home for as long as it lives. The system frees the lock of a process
 * that is killed. Throws an error that names the holder.
 */
export function acquireHomeLock(home: string): Promise<HomeLock> {
  return acquire(ofHome(home));
}

/** The same for the folder of a SQLite database, to which a second home may lead. */
export function acquireDatabaseLock(folder: string): Promise<HomeLock> {
  return acquire(ofDatabase(folder));
}

/** Lets one process at a time take a backup into a folder. */
export function acquireBackupLock(folder: string): Promise<HomeLock> {
  return acquire(ofBackups(folder));
}

async function acquire(owned: Owned): Promise<HomeLock> {
  mkdirSync(owned.folder, { recursive: true, mode: 0o700 });
  const giveUpAt = performance.now() + nameWithinMs;
  for (;;) {
    const connection = lock(owned);
    if (connection) return hold(owned, connection);
    const holder = readHolder(owned);
    if (holder || performance.now() >= giveUpAt) throw new Error(owned.refusal(describe(holder)));
    await sleep(lookEveryMs);
  }
}

function lock({ folder, lockFile }: Owned): SqliteConnection | undefined {
  createPrivately(join(folder, lockFile));
  const connection = new SqliteConnection(join(folder, lockFile));
  try {
    connection.run('pragma journal_mode = memory'); // Nothing is ever written, so no journal file remains.
    connection.run('begin exclusive');
    return connection;
  } catch (error) {
    connection.close();
    if (isSqliteBusy(error)) return undefined;
    throw error;
  }
}

/**
 * A user who can read the file can block the lock. An existing file is not opened, because that would drop a lock of
 * this process.
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function hold({ folder, holderFile }: Owned, connection: SqliteConnection): HomeLock {
  const own: Omit<Holder, 'url'> = { pid: process.pid, since: toIso(systemClock()) };
  const temporary = join(folder, `.${holderFile}`);
  rmSync(temporary, { force: true });
  writeFileSync(temporary, `${JSON.stringify(own)}\n`, { flag: 'wx', mode: 0o600 });
  renameSync(temporary, join(folder, holderFile));
  return {
    release: () => {
      rmSync(join(folder, holderFile), { force: true });
      // Closing alone would keep the lock until the last statement is garbage collected.
      connection.run('rollback');
      connection.close();
    },
  };
}

/**
 * Returns undefined when no holder has written its name yet, or when the writer has ended and another process has the
 * lock.
 */
function readHolder({ folder, holderFile }: Owned): Holder | undefined {
  const { pid, since } = readJson<Holder>(join(folder, holderFile));
  if (pid === undefined || since === undefined || !isProcessAlive(pid)) return undefined;
  const address = readJson<Holder>(join(folder, addressFile));
  return { pid, since, url: address.pid === pid ? address.url : undefined };
}

function readJson<Content>(path: string): Partial<Content> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Partial<Content>;
  } catch {
    return {}; // Not written yet, or incomplete: treated as missing.
  }
}

function describe(holder: Holder | undefined): string {
  const facts = holder ? [`process ${holder.pid}`, holder.url, `since ${holder.since}`] : [];
  const named = facts.filter((fact) => fact !== undefined).join(', ');
  return named && ` (${named})`;
}
