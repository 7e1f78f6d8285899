import { createHash } from 'node:crypto';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { readTogether } from '../../platform/database/snapshot.ts';
import { type FileRow, StoredFileStore } from '../files/stored-file-store.ts';
import { prepareTask } from '../intake/task-submission.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { TaskStore } from '../tasks/task-store.ts';
import { Lineage } from './lineage.ts';
import { LineageStore } from './lineage-store.ts';
import { RecipeStore } from './recipe-store.ts';

const postgres = testPostgres('lineage on Postgres');

describe('lineage on SQLite', () => lineageBehaves(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  lineageBehaves(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

const workflow = { '1': { class_type: 'Any', inputs: { a: 'x', b: 'x' } } };

function lineageBehaves(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<DispatchTables>;
  let lineage: Lineage;
  let owner: string;
  let count = 0;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
    const links = { to: ({ fileId }: { fileId: string }) => `/uploads/${fileId}` };
    lineage = new Lineage({
      together: readTogether(database, (frozen) => ({
        files: new StoredFileStore(frozen),
        store: new LineageStore(frozen),
      })),
      links: links as never,
    });
  });

  beforeEach(() => {
    count += 1;
    owner = `owner-${count}`;
  });

  afterAll(() => opened.close());

  async function file(name: string, more: Partial<FileRow> = {}): Promise<string> {
    const id = `${owner}-${name}`;
    const row = {
      id,
      owner,
      filename: `${name}.png`,
      sha256: createHash('sha256').update(id).digest('hex'),
      size: 1,
      contentType: 'image/png',
      source: more.taskId ? ('output' as const) : ('upload' as const),
      taskId: null,
      workflowId: null,
      createdAt: '2030-01-01T00:00:00.000Z',
      ...more,
    };
    await database.write((trx) => trx.insertInto('files').values(row).execute());
    return id;
  }

  /** A task that was given these files and made one. */
  async function made(name: string, inputs: string[]): Promise<{ fileId: string; taskId: string }> {
    const params = Object.fromEntries(
      inputs.map((id, index) => [`1.${'ab'[index]}`, { $file: id }] as const),
    );
    const { task } = prepareTask(
      { workflow, params },
      {
        owner,
        requestId: null,
        conversation: null,
        savedWorkflow: null,
        idempotency: null,
        nowMs: Date.parse('2030-01-01T00:00:00.000Z'),
        fileNames: new Map(inputs.map((id) => [id, id])),
      },
    );
    await new TaskStore(database).insert({ user: owner }, task);
    const taskId = String(task.row.id);
    return { taskId, fileId: await file(name, { taskId }) };
  }

  async function walk(
    fileId: string,
    options: Partial<Parameters<Lineage['of']>[2]> = {},
    reader: Parameters<Lineage['of']>[0] = { owner: { user: owner } },
  ) {
    const found = await lineage.of(reader, fileId, { direction: 'both', depth: 20, ...options });
    const short = (id: string) => id.replace(`${owner}-`, '');
    return {
      files: found.files.map(({ id, level }) => [short(id), level]).sort(),
      tasks: found.tasks.map(({ level }) => level).sort((a, b) => a - b),
      edges: found.edges.length,
      cut: found.cut,
    };
  }

  it('leads from the first upload to the last picture and back', async () => {
    const upload = await file('upload');
    const first = await made('first', [upload]);
    const second = await made('second', [first.fileId]);
    const other = await made('other', [upload]);
    expect(await walk(upload)).toEqual({
      files: [
        ['first', 1],
        ['other', 1],
        ['second', 2],
        ['upload', 0],
      ],
      tasks: [1, 1, 2],
      edges: 6,
      cut: null,
    });
    expect(await walk(second.fileId)).toMatchObject({
      files: [
        ['first', -1],
        ['second', 0],
        ['upload', -2],
      ],
      tasks: [-2, -1],
    });
    expect((await walk(first.fileId)).files).toEqual([
      ['first', 0],
      ['second', 1],
      ['upload', -1],
    ]);
    expect((await walk(first.fileId, { direction: 'up' })).files).toHaveLength(2);
    expect((await walk(first.fileId, { direction: 'down' })).tasks).toEqual([1]);
    expect(other.taskId).not.toBe(first.taskId);
  });

  it('shows a file once that two ways lead to', async () => {
    const upload = await file('upload');
    const left = await made('left', [upload]);
    const right = await made('right', [upload]);
    const both = await made('both', [left.fileId, right.fileId]);
    expect(await walk(both.fileId)).toMatchObject({
      files: [
        ['both', 0],
        ['left', -1],
        ['right', -1],
        ['upload', -2],
      ],
      edges: 7,
      cut: null,
    });
  });

  it('says that it is cut at the depth only when there is more', async () => {
    const upload = await file('upload');
    const first = await made('first', [upload]);
    const second = await made('second', [first.fileId]);
    expect((await walk(second.fileId, { depth: 1 })).cut).toBe('depth');
    expect((await walk(second.fileId, { depth: 2 })).cut).toBeNull();
    expect((await walk(upload, { depth: 1 })).cut).toBe('depth');
    expect((await walk(upload, { depth: 2 })).cut).toBeNull();
  });

  it('stops at 1,000 nodes and says so', async () => {
    const upload = await file('upload');
    const { taskId } = await made('first', [upload]);
    const rows = Array.from({ length: 1_100 }, (_, index) => ({
      id: `${owner}-many-${index}`,
      owner,
      filename: 'x.png',
      sha256: 'a'.repeat(64),
      size: 1,
      contentType: 'image/png',
      source: 'output' as const,
      taskId,
      createdAt: '2030-01-01T00:00:00.000Z',
    }));
    await database.write((trx) => trx.insertInto('files').values(rows).execute());
    const { files, tasks, cut } = await walk(upload);
    expect([files.length + tasks.length, cut]).toEqual([1_000, 'nodes']);
  });

  it('goes on through an output that was uploaded again', async () => {
    const first = await made('first', [await file('upload')]);
    const sha256 = createHash('sha256').update(first.fileId).digest('hex');
    const back = await file('back', { sha256, createdAt: '2030-01-02T00:00:00.000Z' });
    const last = await made('last', [back]);
    expect((await walk(last.fileId)).files).toEqual([
      ['back', -1],
      ['first', -2],
      ['last', 0],
      ['upload', -3],
    ]);
    expect((await walk(first.fileId, { direction: 'down' })).files).toEqual([
      ['first', 0],
      ['last', 1],
    ]);
  });

  it('keeps the place of a deleted file by its content', async () => {
    const upload = await file('upload');
    const first = await made('first', [upload]);
    await database.write(async (trx) => {
      await trx.deleteFrom('task_files').where('fileId', '=', upload).execute();
      await trx.deleteFrom('files').where('id', '=', upload).execute();
    });
    const sha256 = createHash('sha256').update(upload).digest('hex');
    expect((await walk(first.fileId)).files).toEqual([
      ['first', 0],
      [`sha256:${sha256}`, -1],
    ]);
    const twin = await file('twin', { sha256 });
    expect((await walk(first.fileId)).files).toContainEqual(['twin', -1]);
    const rows = await new RecipeStore(database).ofFile(
      { user: owner },
      (await new StoredFileStore(database).get({ user: owner }, first.fileId)) as FileRow,
    );
    expect(rows?.sources).toEqual([{ fileId: upload, filename: 'upload.png', sha256, presentFileId: twin }]);
  });

  it('shows nothing of another owner who has the same content', async () => {
    const sha256 = 'b'.repeat(64);
    const mine = await file('mine', { sha256 });
    const me = owner;
    owner = `${owner}-other`;
    const theirs = await file('theirs', { sha256 });
    await made('secret', [theirs]);
    owner = me;
    expect((await walk(mine)).files).toEqual([['mine', 0]]);
    await expect(walk(theirs)).rejects.toMatchObject({ code: 'file_not_found' });
    const reader = { owner: { admin: 'root' } };
    expect((await walk(theirs, {}, reader)).tasks).toEqual([1]);
    expect((await walk(mine, {}, reader)).tasks).toEqual([]);
  });
}
