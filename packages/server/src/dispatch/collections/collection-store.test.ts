import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { StoredFileStore } from '../files/stored-file-store.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { CollectionStore } from './collection-store.ts';

const postgres = testPostgres('a collection on Postgres');

describe('a collection on SQLite', () => collectionsBehave(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  collectionsBehave(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

const at = '2030-01-01T00:00:00.000Z';
const change = { collectionId: 'c', at };
const letters = ['a', 'b', 'c', 'd', 'e'];

function collectionsBehave(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<DispatchTables>;
  let store: CollectionStore;
  let files: StoredFileStore;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
    store = new CollectionStore(database);
    files = new StoredFileStore(database);
  });
  afterAll(() => opened.close());

  beforeEach(async () => {
    await database.write(async (trx) => {
      for (const table of ['files', 'collections', 'collection_items'] as const)
        await trx.deleteFrom(table).execute();
      await trx.insertInto('files').values(letters.map(fileRow)).execute();
    });
    const times = { createdAt: at, updatedAt: at };
    await store.insert('ada', {
      id: 'c',
      owner: 'ada',
      name: 'C',
      coverFileId: null,
      itemCount: 0,
      ...times,
    });
    await store.add('ada', change, letters);
  });

  const order = async () => {
    const { rows } = await store.files('c', { after: undefined, limit: 50 });
    return rows.map(({ id }) => id).join('');
  };
  const move = (fileIds: string[], before: string | null) => store.move('ada', change, { fileIds, before });
  const shown = () => store.get('ada', 'c');

  it('keeps the order that its owner gives it, several files at a time', async () => {
    await move(['e', 'b'], 'a');
    expect(await order()).toBe('ebacd');
    await move(['a'], null);
    expect(await order()).toBe('ebcda');
    await store.remove('ada', change, ['c', 'elsewhere']);
    await store.add('ada', change, ['c', 'e']);
    expect(await order()).toBe('ebdac');
    expect((await shown())?.row.itemCount).toBe(5);
  });

  it('finds room between two files again and again', async () => {
    for (let round = 0; round < 60; round += 1) await move([round % 2 ? 'c' : 'd'], 'e');
    expect(await order()).toBe('abdce');
  });

  it('puts a file where it was meant to stand when another tab has moved and removed files', async () => {
    await Promise.all([move(['e'], 'b'), move(['d'], 'a'), store.remove('ada', change, ['c'])]);
    expect(await order()).toBe('daeb');
    await move(['c', 'a'], 'd');
    expect(await order()).toBe('adeb');
    await expect(move(['a'], 'c')).rejects.toMatchObject({ code: 'collection_changed' });
    expect(await order()).toBe('adeb');
  });

  it('shows its first file on its cover until one is chosen, and again when that one goes', async () => {
    expect((await shown())?.cover?.id).toBe('a');
    await store.change('ada', change, { coverFileId: 'd' });
    expect((await shown())?.cover?.id).toBe('d');
    await store.remove('ada', change, ['d', 'a']);
    expect(await shown()).toMatchObject({ row: { coverFileId: null, itemCount: 3 }, cover: { id: 'b' } });
    await expect(store.change('ada', change, { coverFileId: 'd' })).rejects.toMatchObject({
      code: 'file_not_found',
    });
  });

  it('counts its files while they are added, moved, removed and deleted at once', async () => {
    await Promise.all([
      move(['b', 'd'], 'a'),
      files.delete({ user: 'ada' }, ['c']),
      move(['e'], null),
      files.delete({ user: 'ada' }, ['b']),
      store.remove('ada', change, ['d']),
    ]);
    expect((await shown())?.row.itemCount).toBe(2);
    expect([...(await order())].sort().join('')).toBe('ae');
  });

  it('is no place for files of others, and no other user changes it', async () => {
    await expect(store.add('ada', change, ['a', 'of-bob'])).rejects.toMatchObject({ code: 'file_not_found' });
    await expect(store.remove('bob', change, ['a'])).rejects.toMatchObject({ code: 'collection_not_found' });
    expect(await store.delete('bob', 'c')).toBe(false);
    expect(await order()).toBe('abcde');
  });
}

function fileRow(id: string) {
  return {
    id,
    owner: 'ada',
    filename: id,
    sha256: 'x',
    size: 1,
    contentType: 'image/png',
    source: 'output' as const,
    taskId: null,
    workflowId: null,
    createdAt: at,
  };
}
