import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dayMs } from '../../lib/time-units.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import type { BlobStore } from '../../platform/files/blob-store.ts';
import type { Links } from '../links.ts';
import { dispatchMigrations } from '../migrations.ts';
import { UpkeepStore } from '../monitor/upkeep-store.ts';
import { forgetSharesOf } from '../shares/share-store.ts';
import type { DispatchTables } from '../tables.ts';
import { FileListStore } from './file-list-store.ts';
import { FileModelStore } from './file-model-store.ts';
import { forgetKeptOf, notesOn } from './kept-file-store.ts';
import { type FilePlace, StoredFileStore } from './stored-file-store.ts';
import { StoredFiles } from './stored-files.ts';

const postgres = testPostgres('kept files on Postgres');

describe('kept files on SQLite', () => keptFilesStay(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  keptFilesStay(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

const oldTime = '2030-01-01T00:00:00.000Z';
const later = '2030-02-01T00:00:00.000Z';
/** The keepers of each file. A keeper that is added gets a row in `keep` below. */
const files = {
  plain: [],
  noted: [],
  starred: ['starred'],
  grouped: ['collection'],
  both: ['starred', 'collection'],
  shared: ['shared'],
  varied: ['sweep'],
  earlier: [],
  latest: ['cover'],
  chosen: ['cover'],
  'not-chosen': [],
};
/** The workflow that made a file. It has another cover where one is chosen for it. */
const workflows: Record<string, string> = { earlier: 'w1', latest: 'w1', 'not-chosen': 'w2' };
const unkept = Object.entries(files).flatMap(([id, by]) => (by.length === 0 ? id : []));

function keptFilesStay(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<DispatchTables>;
  let store: StoredFileStore;
  let lists: FileListStore;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
    store = new StoredFileStore(database);
    lists = new FileListStore(database);
  });
  afterAll(() => opened.close());

  beforeEach(async () => {
    await database.write(async (trx) => {
      for (const table of tables) await trx.deleteFrom(table).execute();
    });
    for (const id of Object.keys(files)) await store.insertUpload({ user: 'ada' }, fileRow(id), roomy);
    await database.write(keep);
  });

  const present = async () =>
    (await lists.page({ admin: 'root' }, { limit: 50, offset: 0 })).map(({ id }) => id);
  /** Runs the sweep 31 days after the files were stored. Returns what it announces as deleted. */
  const sweep = async () => {
    const deleted: string[] = [];
    const files = new StoredFiles({
      store,
      lists,
      models: new FileModelStore(database),
      content: { removeUnreferenced: async () => undefined } as unknown as BlobStore,
      links: {} as Links,
      shares: { right: async () => undefined, receiversOfFiles: async () => [] },
      events: { announce: (event) => deleted.push(...(event.type === 'files_deleted' ? event.fileIds : [])) },
      clock: () => Date.parse(oldTime) + 31 * dayMs,
      limits: { uploadBytes: 1, outputBytes: 1, ...roomy },
      retentionMs: 30 * dayMs,
    });
    await files.removeExpired({ olderThanMs: 30 * dayMs, signal: new AbortController().signal });
    return deleted.sort();
  };
  const rowsOf = async (fileId: string) =>
    (
      await Promise.all(
        (['file_marks', 'file_tags', 'collection_items'] as const).map((table) =>
          database.read.selectFrom(table).selectAll().where('fileId', '=', fileId).execute(),
        ),
      )
    ).flat();

  it('outlive their 30 days, and others do not', async () => {
    expect(await new UpkeepStore(database).filesBefore(later, 50)).toEqual({
      count: unkept.length,
      bytes: unkept.length,
    });
    expect(await sweep()).toEqual(unkept.toSorted());
    expect((await present()).sort()).toEqual([
      'both',
      'chosen',
      'grouped',
      'latest',
      'shared',
      'starred',
      'varied',
    ]);
    expect(await rowsOf('noted')).toEqual([]);
    expect(await store.usedBytes('ada')).toBe(Object.keys(files).length - unkept.length);
  });

  it('do not hide older files behind them from a sweep that looks at few at a time', async () => {
    let after: FilePlace | null = null;
    const deleted: string[] = [];
    do {
      const page: Awaited<ReturnType<StoredFileStore['deleteOld']>> = await store.deleteOld({
        createdBefore: later,
        after,
        limit: 1,
      });
      deleted.push(...page.rows.map(({ id }) => id));
      after = page.last;
    } while (after !== null);
    expect(deleted.sort()).toEqual(unkept.toSorted());
  });

  it('are told apart by what keeps them', async () => {
    const found = await notesOn(database.read, Object.keys(files));
    expect(Object.fromEntries([...found].map(([id, { keptBy }]) => [id, keptBy]))).toEqual(files);
  });

  it('leave everything that kept them when their owner deletes them', async () => {
    await store.delete({ user: 'ada' }, ['both']);
    expect(await rowsOf('both')).toEqual([]);
    const [collection] = await database.read.selectFrom('collections').selectAll().execute();
    expect(collection).toMatchObject({ itemCount: 1, coverFileId: null });
    await store.delete({ user: 'ada' }, ['chosen']);
    const [note] = (await notesOn(database.read, ['not-chosen'])).values();
    expect(note?.keptBy).toEqual(['cover']);
  });

  it('go back to the common rule when their account is deleted', async () => {
    await database.write(async (trx) => {
      const model = { owner: 'ada', word: '$a', name: 'a' };
      await trx.insertInto('file_models').values(model).execute();
      await forgetKeptOf(trx, 'ada');
      await forgetSharesOf(trx, 'ada');
    });
    expect(await database.read.selectFrom('collections').selectAll().execute()).toEqual([]);
    expect(await database.read.selectFrom('file_models').selectAll().execute()).toEqual([]);
    expect(await sweep()).toHaveLength(Object.keys(files).length);
  });
}

const tables = [
  'files',
  'file_texts',
  'file_marks',
  'file_tags',
  'collections',
  'collection_items',
  'saved_workflows',
  'shares',
  'sweeps',
  'sweep_cells',
] as const;

const roomy = { quotaBytes: 1_000 };

function fileRow(id: string) {
  return {
    id,
    owner: 'ada',
    filename: id,
    sha256: 'x',
    size: 1,
    contentType: 'image/png',
    source: 'output' as const,
    taskId: id === 'varied' ? 't1' : null,
    workflowId: workflows[id] ?? null,
    createdAt: oldTime,
  };
}

async function keep(trx: Parameters<Parameters<Database<DispatchTables>['write']>[0]>[0]): Promise<void> {
  const marks = [
    { fileId: 'starred', starred: 1, caption: '' },
    { fileId: 'both', starred: 1, caption: 'blue' },
    { fileId: 'noted', starred: 0, caption: 'not kept by this' },
  ];
  const noted = marks.map((mark) => ({ ...mark, owner: 'ada', createdAt: oldTime }));
  await trx.insertInto('file_marks').values(noted).execute();
  const tags = ['both', 'noted'].map((fileId) => ({ fileId, tag: 'sky', owner: 'ada', createdAt: oldTime }));
  await trx.insertInto('file_tags').values(tags).execute();
  const times = { createdAt: oldTime, updatedAt: oldTime };
  await trx
    .insertInto('collections')
    .values({ id: 'c1', owner: 'ada', name: 'Blue', coverFileId: 'both', itemCount: 2, ...times })
    .execute();
  const items = ['grouped', 'both'].map((fileId, place) => ({
    collectionId: 'c1',
    fileId,
    place,
    createdAt: oldTime,
  }));
  await trx.insertInto('collection_items').values(items).execute();
  const share = {
    id: 's1',
    owner: 'ada',
    granteeKind: 'everyone',
    grantee: '',
    granteeId: 'everyone',
  } as const;
  const subject = { kind: 'file', subjectId: 'shared', may: 'read', fromVersion: null } as const;
  await trx
    .insertInto('shares')
    .values({ ...share, ...subject, createdAt: oldTime })
    .execute();
  const none = {
    params: '{}',
    settings: '{}',
    axes: '[]',
    wildcards: '[]',
    wildcardSeed: null,
    waitsFor: null,
  };
  const made = {
    byAdmin: 0,
    isOpen: 0,
    idempotencyKey: null,
    bodyHash: '',
    requestId: null,
    createdAt: oldTime,
  };
  const sweep = { id: 's1', owner: 'ada', workflowId: 'w1', version: 1, name: 'Kites', total: 1 };
  await trx
    .insertInto('sweeps')
    .values({ ...sweep, ...none, ...made })
    .execute();
  const cell = { sweepId: 's1', cell: 0, values: '{}', state: 'made' as const, error: null };
  await trx
    .insertInto('sweep_cells')
    .values({ ...cell, taskId: 't1' })
    .execute();
  const drawn = { owner: 'ada', description: '', exposed: 0, version: 1, ...times };
  const covers = [
    { id: 'w1', name: 'Last result', coverFileId: null },
    { id: 'w2', name: 'Chosen', coverFileId: 'chosen' },
  ];
  await trx
    .insertInto('saved_workflows')
    .values(covers.map((row) => ({ ...drawn, ...row })))
    .execute();
}
