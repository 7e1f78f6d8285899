import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runManyProcesses } from '@switchyard/dev-env/many-processes';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseConformance } from '../../../../testing/database-conformance.ts';
import type { Database } from '../database.ts';
import { openDatabase } from '../open.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteDatabase } from './sqlite-database.ts';

interface Tables {
  notes: { id: string };
}

const folder = temporaryFolder();
const newFile = (): string => join(folder.path, randomUUID(), 'switchyard.db');

afterAll(() => folder.remove());

databaseConformance('sqlite', (meter) => openDatabase({ backend: 'sqlite', file: newFile() }, meter));

it('keeps a statement whose rows are being read while garbage is collected', () => {
  // The flag that lets a program collect garbage stays with a process of its own.
  const script = fileURLToPath(new URL('../../../../testing/collected-statement.ts', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', script], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect({ stdout, stderr }).toEqual({ stdout: JSON.stringify([...Array(20).keys()]), stderr: '' });
});

describe('a file', () => {
  let file: string;
  let database: Database<Tables>;

  beforeEach(async () => {
    file = newFile();
    database = (await openDatabase({ backend: 'sqlite', file })).withTables<Tables>();
    await database.write((trx) => trx.schema.createTable('notes').addColumn('id', 'text').execute());
  });
  afterEach(() => database.close());

  const insert = (id: string): Promise<unknown> =>
    database.write((trx) => trx.insertInto('notes').values({ id }).execute());
  const ids = async (): Promise<string[]> => {
    const rows = await database.read.selectFrom('notes').select('id').execute();
    return rows.map(({ id }) => id);
  };

  it('is closed to all other users of the machine, including its log and its folder', () => {
    const paths = [join(file, '..'), file, `${file}-wal`];
    expect(paths.map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['700', '600', '600']);
  });

  it('syncs every commit', async () => {
    const other = new SqliteConnection(file);
    other.useWriteAheadLog();
    expect(other.run('pragma synchronous').rows).toEqual([{ synchronous: 2 }]);
    other.close();
  });

  it('keeps what was written when it is opened again', async () => {
    await insert('a');
    await database.close();
    database = (await openDatabase({ backend: 'sqlite', file })).withTables<Tables>();
    expect(await ids()).toEqual(['a']);
  });

  it('shows the current columns of a table to a statement that was used before the table changed', async () => {
    await insert('a');
    const all = (): Promise<unknown[]> => database.read.selectFrom('notes').selectAll().execute();
    expect(await all()).toEqual([{ id: 'a' }]);
    await database.write((trx) => trx.schema.alterTable('notes').addColumn('text', 'text').execute());
    expect(await all()).toEqual([{ id: 'a', text: null }]);
  });

  it('shows a snapshot nothing that another process commits between its statements', async () => {
    await insert('ours');
    const other = new SqliteConnection(file);
    const seen = await database.snapshot(async (frozen) => {
      const all = () => frozen.read.selectFrom('notes').select('id').execute();
      const before = await all();
      other.run("insert into notes values ('theirs')");
      return [before, await all()];
    });
    other.close();
    expect(seen).toEqual([[{ id: 'ours' }], [{ id: 'ours' }]]);
    expect(await ids()).toEqual(['ours', 'theirs']);
  });

  describe('that another process is writing to', () => {
    let other: SqliteConnection;

    beforeEach(() => {
      other = new SqliteConnection(file);
      other.run('begin immediate');
      other.run("insert into notes values ('theirs')");
    });
    afterEach(() => other.close());

    it('can be read meanwhile, and written as soon as the other process has finished', async () => {
      const written = insert('ours');
      expect(await ids()).toEqual([]);
      other.run('commit');
      await written;
      expect(await ids()).toEqual(['theirs', 'ours']);
    });

    it('is reported as busy when the other process does not finish', async () => {
      const connection = new SqliteConnection(file);
      const hasty = new SqliteDatabase({ backend: 'sqlite', connection, limits: { patienceMs: 0 } });
      const outcomes = await Promise.allSettled([1, 2].map(() => hasty.write(async () => undefined)));
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'database_busy' } });
      }
      await hasty.close();
    });
  });

  it('accepts writes from several processes at once', async () => {
    const program = fileURLToPath(new URL('../../../../testing/writing-process.ts', import.meta.url));
    const others = runManyProcesses(program, { count: 2, options: { file, rows: 100 } });
    for (let row = 0; row < 100; row += 1) await insert(`${row}`);
    await others;
    expect(await ids()).toHaveLength(300);
  });
});

it('says what to do when its folder cannot be created', async () => {
  const opening = openDatabase({ backend: 'sqlite', file: '/dev/null/data/switchyard.db' });
  await expect(opening).rejects.toThrow('/dev/null/data');
});
