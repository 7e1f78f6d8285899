import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { type Database, type DatabaseMeter, noMeter } from './database.ts';
import { isNoDatabase, mapSqliteError } from './database-errors.ts';
import type { PostgresOptions } from './postgres/postgres-connections.ts';
import { startFault } from './postgres/postgres-fault.ts';
import { retryWhileBusy } from './sqlite/sqlite-busy.ts';
import { SqliteConnection } from './sqlite/sqlite-connection.ts';
import { SqliteDatabase } from './sqlite/sqlite-database.ts';

export type DatabaseOptions =
  | { backend: 'memory' }
  | { backend: 'sqlite'; file: string }
  | ({ backend: 'postgres' } & PostgresOptions);

/** Opens the database without an area's tables. `migrate` creates them, and `withTables` adds their types. */
export async function openDatabase(
  options: DatabaseOptions,
  meter: DatabaseMeter = noMeter,
): Promise<Database<unknown>> {
  switch (options.backend) {
    case 'memory':
      return new SqliteDatabase({ backend: 'memory', connection: new SqliteConnection(':memory:'), meter });
    case 'sqlite':
      return openSqliteFile(options.file, meter);
    case 'postgres': {
      // Loaded only when it is used, because loading the driver takes a tenth of the start.
      const { PostgresDatabase } = await import('./postgres/postgres-database.ts');
      return reached(new PostgresDatabase({ ...options, meter }), options.url);
    }
  }
}

/**
 * Opens an existing database to read it, beside a gateway or without one, and changes nothing, not even the files that
 * stand beside that of SQLite.
 */
export async function openToRead(options: DatabaseOptions): Promise<Database<unknown>> {
  if (options.backend !== 'sqlite') return openDatabase(options);
  const { file } = options;
  // SQLite would leave an empty log behind. Without a log no process writes, so SQLite may take the file as one that never changes.
  const location = existsSync(`${file}-wal`) ? file : `${pathToFileURL(file).href}?immutable=1`;
  try {
    const connection = new SqliteConnection(location, { readOnly: true });
    const database = new SqliteDatabase({ backend: 'sqlite', connection });
    // A file is first read when it is first asked.
    connection.run('select 1 from sqlite_schema limit 1');
    return database;
  } catch (error) {
    throw isNoDatabase(error) ? notADatabase(file, error) : mapSqliteError(error);
  }
}

/** Opens a file that no other process uses, and keeps nothing beside it. What is written is in the file. */
export function openAlone(file: string): Database<unknown> {
  createPrivately(file);
  return new SqliteDatabase({ backend: 'sqlite', connection: new SqliteConnection(file) });
}

/** A server that cannot be used is reported at once, with the setting to look at. */
async function reached<Opened extends Database<unknown>>(database: Opened, url: string): Promise<Opened> {
  try {
    await sql`select 1`.execute(database.read);
    return database;
  } catch (error) {
    await database.close();
    throw startFault(error, url);
  }
}

async function openSqliteFile(file: string, meter: DatabaseMeter): Promise<Database<unknown>> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  createPrivately(file);
  try {
    const connection = new SqliteConnection(file);
    await retryWhileBusy(() => connection.useWriteAheadLog());
    return new SqliteDatabase({ backend: 'sqlite', connection, meter });
  } catch (error) {
    throw isNoDatabase(error) ? notADatabase(file, error) : mapSqliteError(error);
  }
}

function notADatabase(file: string, cause: unknown): Error {
  const advice = 'Restore it from a backup, or move it away to begin with an empty one.';
  return new Error(`${file} is not a database. ${advice}`, { cause });
}

/** SQLite gives its log the permissions of the file, so that no other user of the machine can read either. */
function createPrivately(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
