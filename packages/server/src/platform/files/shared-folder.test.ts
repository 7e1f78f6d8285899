import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../database/open.ts';
import { fileMigrations } from './migrations.ts';
import { markFile, requireSharedFolder } from './shared-folder.ts';
import { SharedFolderStore } from './shared-folder-store.ts';

const postgres = testPostgres('a shared folder, on Postgres');

describe('a shared folder, in memory', () => foldersBehave(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  foldersBehave(async () => patientPostgres(await postgres.createDatabase(), 10)),
);

function foldersBehave(where: () => Promise<DatabaseOptions>): void {
  let root: string;
  let opened: Database<unknown>;
  let store: SharedFolderStore;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'switchyard-shared-'));
    opened = await openDatabase(await where());
    await migrate(opened, 'files', fileMigrations);
    store = new SharedFolderStore(opened.withTables());
  });

  afterEach(async () => {
    await opened.close();
    await rm(root, { recursive: true });
  });

  const start = (name: string, database = 'ours') =>
    requireSharedFolder({ folder: join(root, name), database, store });

  test('is made by the first replica, and found again by every later one', async () => {
    await start('shared');
    await start('shared');
    expect(await readdir(join(root, 'shared'))).toEqual([markFile]);
  });

  test('is accepted by all replicas that make it at the same moment', async () => {
    await Promise.all(Array.from({ length: 10 }, () => start('shared')));
    expect(await readdir(join(root, 'shared'))).toEqual([markFile]);
  });

  test('is refused when it is another folder than that of the other replicas, or a mount that is missing', async () => {
    await start('shared');
    await expect(start('elsewhere')).rejects.toThrow(
      /^files\.shared_home \(.*elsewhere\) is not the folder that the replicas of this database use/,
    );
    expect(await readdir(join(root, 'elsewhere'))).toEqual([]);
  });

  test('is kept by one of two replicas that start at the same moment with different folders', async () => {
    const outcomes = await Promise.allSettled([start('one'), start('other')]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(String(refused?.reason)).toContain('files.shared_home');
  });

  test('is refused when it holds the files of another database', async () => {
    await start('shared', 'theirs');
    await opened
      .withTables<{ shared_folder: { only: number; token: string } }>()
      .write((trx) => trx.deleteFrom('shared_folder').execute());
    await expect(start('shared', 'ours')).rejects.toThrow('holds the files of another database');
  });

  test('may be moved as a whole', async () => {
    await start('shared');
    await cp(join(root, 'shared'), join(root, 'moved'), { recursive: true });
    await rm(join(root, 'shared'), { recursive: true });
    await start('moved');
  });

  test('is accepted after a crash between the token in the folder and the one in the database', async () => {
    await start('shared');
    await opened
      .withTables<{ shared_folder: { only: number; token: string } }>()
      .write((trx) => trx.deleteFrom('shared_folder').execute());
    await start('shared');
    await expect(start('elsewhere')).rejects.toThrow('files.shared_home');
  });

  test('is refused with the name of the setting when it cannot be written, or its token was damaged', async () => {
    await writeFile(join(root, 'a file'), '');
    await expect(start('a file')).rejects.toThrow(/^files\.shared_home \(.*a file\) cannot be used: /);
    await start('shared');
    await writeFile(join(root, 'shared', markFile), '{');
    await expect(start('shared')).rejects.toThrow('files.shared_home');
  });
}
