import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import { UpkeepStore } from '../monitor/upkeep-store.ts';
import type { DispatchTables } from '../tables.ts';
import { FileListStore } from './file-list-store.ts';
import { type FilePlace, insertOutputs, StoredFileStore } from './stored-file-store.ts';

const postgres = testPostgres('lists of files on Postgres');

describe('lists of files on SQLite', () => listsBehave(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  listsBehave(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

const ada = { user: 'ada' };
const admin = { admin: 'root' };
const types = ['image/png', 'video/mp4', 'text/plain; charset=utf-8', 'application/json', 'application/pdf'];
/** Several files have the same time, as the outputs of one task do. */
const timeOf = (index: number) => `2030-01-01T00:00:0${Math.floor(index / 4)}.000Z`;

function listsBehave(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let store: StoredFileStore;
  let lists: FileListStore;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    const database = opened.withTables<DispatchTables>();
    store = new StoredFileStore(database);
    lists = new FileListStore(database);
    const rows = Array.from({ length: 20 }, (_, index) => ({
      id: `${index % 2 ? 'B' : 'a'}-${index}`,
      owner: 'ada',
      filename: `${index}`,
      sha256: 'x',
      size: 1,
      contentType: types[index % types.length] ?? '',
      source: 'output' as const,
      taskId: index < 3 ? 'task-1' : 'task-2',
      workflowId: index === 7 ? 'flow' : null,
      createdAt: timeOf(index),
    }));
    const foreign = rows.map((row) => ({ ...row, id: `bob-${row.id}`, owner: 'bob' }));
    await database.write((trx) =>
      trx
        .insertInto('files')
        .values([...rows, ...foreign])
        .execute(),
    );
  });

  afterAll(() => opened.close());

  const idsOf = async (owner: Parameters<FileListStore['page']>[0], filter: object) =>
    (await lists.page(owner, { limit: 200, offset: 0, ...filter })).map(({ id }) => id);

  it('have each file once, page after page, also among files of the same time', async () => {
    for (const owner of [ada, admin]) {
      const whole = await idsOf(owner, {});
      const paged: string[] = [];
      let after: FilePlace | undefined;
      do {
        const page = await lists.page(owner, { limit: 3, offset: 0, after });
        paged.push(...page.map(({ id }) => id));
        after = page.at(-1);
      } while (after !== undefined);
      expect(paged).toEqual(whole);
      expect(new Set(whole).size).toBe(owner === ada ? 20 : 40);
    }
  });

  const totalOf = async (user: string) =>
    (await lists.list({ user }, { filter: {}, limit: 1, offset: 0 })).total;

  it('have every file in exactly one kind', async () => {
    const kinds = ['image', 'video', 'audio', 'text', 'other'] as const;
    const ids = await Promise.all(kinds.map((kind) => idsOf(ada, { kind })));
    expect(ids.map(({ length }) => length)).toEqual([4, 4, 0, 8, 4]);
    expect(new Set(ids.flat()).size).toBe(20);
    const texts = await lists.list(ada, { filter: { kind: 'text' }, limit: 1, offset: 0 });
    expect(texts).toMatchObject({ total: 8, isMinimum: false });
  });

  it('are of a task, a saved workflow or a time, and of one owner', async () => {
    expect(await idsOf(ada, { taskId: 'task-1' })).toHaveLength(3);
    expect(await idsOf(ada, { workflowId: 'flow' })).toEqual(['B-7']);
    expect((await idsOf(admin, { workflowId: 'flow' })).sort()).toEqual(['B-7', 'bob-B-7']);
    expect(await idsOf(admin, { workflowId: 'flow', owner: 'bob' })).toEqual(['bob-B-7']);
    expect(await idsOf(ada, { since: timeOf(8), until: timeOf(8) })).toHaveLength(4);
    expect(await idsOf(ada, { since: timeOf(19), kind: 'audio' })).toEqual([]);
  });

  it('never pass the quota, however many uploads come at once', async () => {
    const upload = (index: number) =>
      store.insertUpload({ user: 'cyd' }, { ...uploaded('cyd', index), size: 40 }, { quotaBytes: 100 });
    const results = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => upload(index)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await store.usedBytes('cyd')).toBe(80);
    expect(await totalOf('cyd')).toBe(2);
  });

  it('are counted in parts whose sum counts', async () => {
    const database = opened.withTables<DispatchTables>();
    const row = { ...uploaded('dan', 1), source: 'output', size: 3 } as const;
    await database.write(async (trx, lastly) => {
      lastly(...insertOutputs('dan', { rows: [row], words: [] }));
      // A part of no connection, as another replica would have written it.
      await trx.insertInto('file_usage').values({ owner: 'dan', part: 99, bytes: 4, count: 1 }).execute();
    });
    const upkeep = new UpkeepStore(database);
    const dans = async () => (await upkeep.topUsers(10)).filter(({ owner }) => owner === 'dan');
    expect([await store.usedBytes('dan'), await totalOf('dan')]).toEqual([7, 2]);
    expect(await dans()).toEqual([{ owner: 'dan', bytes: 7, count: 2 }]);
    await store.delete({ user: 'dan' }, [uploaded('dan', 1).id]);
    expect(await dans()).toEqual([{ owner: 'dan', bytes: 4, count: 1 }]);
  });
}

const uploaded = (owner: string, index: number) => ({
  id: `${owner}-${index}`,
  owner,
  filename: `${index}`,
  sha256: `${index}`,
  contentType: 'text/plain',
  source: 'upload' as const,
  taskId: null,
  workflowId: null,
  width: null,
  height: null,
  blake3: null,
  createdAt: timeOf(index),
});
