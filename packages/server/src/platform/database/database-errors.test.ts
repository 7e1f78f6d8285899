import { join } from 'node:path';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSqliteBusy, isUniqueViolation, mapSqliteError } from './database-errors.ts';
import { DatabaseSync, type SqliteHandle } from './sqlite/sqlite-library.ts';

let folder: ReturnType<typeof temporaryFolder>;
const open: SqliteHandle[] = [];
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => {
  for (const handle of open.splice(0)) handle.close();
  folder.remove();
});

function connect(): SqliteHandle {
  const handle = new DatabaseSync(join(folder.path, 'one.db'));
  open.push(handle);
  handle.exec(
    'pragma busy_timeout = 0; pragma journal_mode = wal; create table if not exists t (x primary key)',
  );
  return handle;
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('It did not fail.');
}

/** Each way of running a statement has an error path of its own in the library. */
const ways = ['run', 'get', 'all'] as const;

describe.each(ways)('a statement that %ss', (way) => {
  const fault = (handle: SqliteHandle, sql: string): unknown => {
    const statement = handle.prepare(sql);
    return thrownBy(() => statement[way]());
  };

  it('tells a row that is there already', () => {
    const handle = connect();
    handle.exec('insert into t values (1)');
    expect(isUniqueViolation(fault(handle, 'insert into t values (1) returning x'))).toBe(true);
  });

  it('tells that another process holds the file', () => {
    const [one, other] = [connect(), connect()];
    one.exec('begin immediate');
    const error = fault(other, 'insert into t values (1) returning x');
    expect(isSqliteBusy(error)).toBe(true);
    expect(mapSqliteError(error)).toMatchObject({ code: 'database_busy' });
  });

  it('tells that the disk is full', () => {
    const handle = connect();
    handle.exec('pragma max_page_count = 3');
    const error = fault(handle, 'insert into t values (hex(randomblob(90000))) returning 1');
    expect(mapSqliteError(error)).toMatchObject({ code: 'storage_full' });
  });
});
