import type { FileFilterQuery } from '@switchyard/contract/dispatch/file';
import { modelName } from '@switchyard/contract/dispatch/model-file';
import { testPostgres } from '@switchyard/dev-env/postgres';
import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import type { Job, JobHandler } from '../../platform/jobs/jobs.ts';
import { findEarlierFiles } from '../earlier-rows/earlier-files.ts';
import { EarlierRowStore } from '../earlier-rows/earlier-row-store.ts';
import { graphWords } from '../graphs/file-words.ts';
import { up as addTimes } from '../migrations/031-notes-in-order.ts';
import { up as addModels } from '../migrations/032-file-models.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables, FileModelTable } from '../tables.ts';
import { filterOf } from './file-list.ts';
import { FileListStore } from './file-list-store.ts';
import { FileModelStore, insertModels } from './file-model-store.ts';
import { type FilePlace, type FileRow, insertOutputs, StoredFileStore } from './stored-file-store.ts';

const postgres = testPostgres('a search over files on Postgres');

describe('a search over files on SQLite', () => searchIsAScan(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  searchIsAScan(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

interface PlantedFile {
  row: FileRow;
  prompt: string;
  params: Record<string, string | number>;
  model: string;
}

const seed = Number(process.env.SEARCH_SEED ?? 20_301);
const nouns = [
  'cat',
  'castle',
  'Lighthouse',
  'cats',
  'boat',
  'Straße',
  'naïve',
  'sun_set',
  '100%',
  'o’clock',
];
const chinese = ['一只红色的猫', '坐在窗台上', '阳光明媚', '山水画'];
/** The names of saved workflows by their ids; the others were deleted. */
const nameOf: Record<string, string> = { 'flow-1': 'Portraits', 'flow-3': 'Landscapes' };
const types = ['image/png', 'image/webp', 'video/mp4', 'application/json'];

function searchIsAScan(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<DispatchTables>;
  const random = randomOf(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const planted = Array.from({ length: 2_000 }, (_, index) => plantedFile(index, random, pick));

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
    await database.write(async (trx) => {
      const times = { createdAt: '2030', updatedAt: '2030' };
      for (const [id, name] of Object.entries(nameOf)) {
        const saved = { id, name, owner: 'ada', description: '', exposed: 0, version: 1, ...times };
        await trx.insertInto('saved_workflows').values(saved).execute();
      }
      const set = { id: 'set', owner: 'ada', name: 'Set', coverFileId: null, itemCount: 0, ...times };
      await trx.insertInto('collections').values(set).execute();
      for (const { row } of planted) {
        const { owner, id: fileId, createdAt } = row;
        if (isNoted(row, 7))
          await trx
            .insertInto('file_marks')
            .values({ fileId, owner, starred: 1, caption: '', createdAt })
            .execute();
        if (isNoted(row, 5))
          await trx.insertInto('file_tags').values({ fileId, owner, tag: 'liked', createdAt }).execute();
        if (isInSet(row))
          await trx
            .insertInto('collection_items')
            .values({ fileId, collectionId: 'set', place: 1, createdAt })
            .execute();
      }
    });
    const used: FileModelTable[] = [];
    const outputs = planted.map(({ row, prompt, params, model }) => {
      const graph = {
        '1': { class_type: 'Text', inputs: { text: prompt } },
        '2': { class_type: 'Draw', inputs: { ...params, ckpt_name: model, text: ['1', 0] } },
      };
      const { words, models } = graphWords(graph, new Set());
      used.push(...models.map((each) => ({ owner: row.owner, ...each })));
      return insertOutputs(row.owner, { rows: [row], words });
    });
    outputs.push(insertModels(used));
    // All at once would wait for a connection for longer than a busy machine lets them.
    for (let from = 0; from < outputs.length; from += 20)
      await Promise.all(
        outputs.slice(from, from + 20).map((each) => database.write(async (_trx, lastly) => lastly(...each))),
      );
  });
  afterAll(() => opened.close());

  const owners: Owner[] = [{ user: 'ada' }, { user: 'bob' }, { user: 'eve' }, { admin: 'root' }];

  it(`finds what a plain scan of the rows finds, and counts it (seed ${seed})`, async () => {
    const questions = [...fixedQuestions, ...Array.from({ length: 15 }, () => randomQuestion(random, pick))];
    for (const limits of everyLimits) {
      const store = new FileListStore(database, limits);
      for (const query of questions) {
        for (const owner of owners) {
          const expected = planted.filter((file) => isVisible(file, owner) && fits(file, query));
          const ids = inOrder(expected);
          const { total, isMinimum } = await store.list(owner, {
            filter: filterOf(query, { retentionMs: null }),
            limit: 1,
            offset: 0,
          });
          expect(await allPages(store, owner, query), JSON.stringify([query, owner])).toEqual(ids);
          expect(isMinimum ? Math.min(total, ids.length) : ids.length, JSON.stringify(query)).toBe(total);
          expect(isMinimum && limits.maxCounted === 3_000).toBe(false);
        }
      }
    }
  });

  it('does not find a file any more that was deleted', async () => {
    const store = new FileListStore(database);
    const target = planted.find(({ row }) => row.owner === 'eve') as PlantedFile;
    const query = { param: [`seed=${target.params.seed}`] };
    expect(await allPages(store, { user: 'eve' }, query)).toContain(target.row.id);
    await new StoredFileStore(database).delete({ user: 'eve' }, [target.row.id]);
    planted.splice(planted.indexOf(target), 1);
    expect(await allPages(store, { user: 'eve' }, query)).not.toContain(target.row.id);
    const words = await sql`select 1 from file_texts where "fileId" = ${target.row.id}`.execute(
      database.read,
    );
    expect(words.rows).toEqual([]);
  });

  it('finds files that an earlier version has stored, with their words as a new one has them', async () => {
    const before = await sql`select * from file_texts order by "fileId"`.execute(database.read);
    const models = await modelRows();
    await database.write(async (trx) => {
      for (const { row, prompt, params, model } of planted.slice(0, 120)) {
        const graph = {
          '1': { class_type: 'Text', inputs: { text: '{{prompt}}' } },
          '2': { class_type: 'Draw', inputs: { ...params, ckpt_name: model, text: ['1', 0] } },
        };
        const given = { workflow: JSON.stringify(graph), params: JSON.stringify({ prompt }) };
        const rest = { requirement: '{}', extraData: null, partialExecutionTargets: null };
        await trx
          .insertInto('task_inputs')
          .values({ taskId: row.taskId ?? '', ...given, ...rest })
          .execute();
      }
      await trx.deleteFrom('file_models').execute();
      await sql`delete from file_texts where "fileId" in (select id from files where "createdAt" < '2030-01-01T00:00:40.000Z')`.execute(
        trx,
      );
    });
    const handlers: ((job: Job) => Promise<void>)[] = [];
    const jobs = {
      register: (_kind: string, handler: JobHandler) => void handlers.push(async (job) => handler(job)),
    };
    findEarlierFiles(new EarlierRowStore(database), { jobs, stepRows: 70 });
    const run = { signal: new AbortController().signal } as Job;
    await handlers[0]?.(run);
    expect((await sql`select * from file_texts order by "fileId"`.execute(database.read)).rows).toEqual(
      before.rows,
    );
    expect(await modelRows()).toEqual(models);
    await handlers[0]?.(run);
    const store = new FileListStore(database);
    for (const q of ['cat', '猫', 'castle'])
      expect(await allPages(store, { admin: 'root' }, { q })).toEqual(
        inOrder(planted.filter((file) => fits(file, { q }))),
      );
  });

  const modelRows = () =>
    database.read.selectFrom('file_models').selectAll().orderBy('owner').orderBy('word').execute();

  it('counts the files of each model of a user, the most used first, by the index of words', async () => {
    await settleIndexes(database);
    const counts = new Map<string, number>();
    for (const { row, model } of planted)
      if (row.owner === 'ada') counts.set(modelName(model), (counts.get(modelName(model)) ?? 0) + 1);
    const expected = [...counts]
      .map(([model, count]) => ({ model, count }))
      .sort((a, b) => b.count - a.count || (a.model < b.model ? -1 : 1));
    const plans = await plansOf(database, async (watched) => {
      expect(await new FileModelStore(watched).list('ada', 100)).toEqual(expected);
    });
    expect(plans.join('\n')).toMatch(/file_texts_words|file_search VIRTUAL TABLE/);
    expect(plans.join('\n')).not.toMatch(wholeTable);
    expect(await new FileModelStore(database).list('ada', 2)).toEqual(expected.slice(0, 2));
  });

  it('leaves out a model without files, and writes nothing for a model that it remembers', async () => {
    const store = new FileModelStore(database);
    const models = [{ word: '$gone．ckpt', name: 'gone.ckpt' }];
    await database.write(async (_trx, lastly) => lastly(...store.added('ada', models)));
    expect((await store.list('ada', 100)).map(({ model }) => model)).not.toContain('gone.ckpt');
    expect(store.added('ada', models)).toHaveLength(1);
    store.remember('ada', models);
    expect(store.added('ada', models)).toEqual([]);
    expect(store.added('bob', models)).toHaveLength(1);
    await database.write((trx) => trx.deleteFrom('file_models').where('name', '=', 'gone.ckpt').execute());
  });

  it('has the models of files that were there before the list of models', async () => {
    const models = await modelRows();
    await database.write(async (trx) => {
      await trx.schema.dropTable('file_models').execute();
      await addModels(trx as never);
    });
    expect(await modelRows()).toEqual(models);
  });

  it('reads indexes and never the whole table', async () => {
    await settleIndexes(database);
    for (const [limits, query] of everyLimits.flatMap((each) =>
      fixedQuestions.map((query) => [each, query] as const),
    )) {
      const plans = await plansOf(database, (watched) =>
        new FileListStore(watched, limits).list(
          { user: 'ada' },
          { filter: filterOf(query, { retentionMs: null }), limit: 51, offset: 0 },
        ),
      );
      expect(plans.length).toBeGreaterThan(0);
      for (const plan of plans) expect(plan, JSON.stringify(query)).not.toMatch(wholeTable);
      if (limits.maxWalked === 10 && query.q !== undefined)
        expect(plans.join('\n')).toMatch(/file_texts_words|file_search VIRTUAL TABLE/);
      const isNoted =
        query.starred === true || [query.tag, query.collectionId].some((each) => each !== undefined);
      if (isNoted && query.q === undefined)
        expect(plans[0]).toMatch(/file_marks_starred|file_tags_tag|collection_items_time/);
    }
  });

  it('gives the notes of an earlier version the times of their files', async () => {
    const times = await noteTimes();
    expect(times.length).toBeGreaterThan(500);
    await database.write(async (trx) => {
      await trx.schema.dropIndex('collection_items_time').execute();
      for (const [table, index] of [
        ['file_marks', 'file_marks_starred'],
        ['file_tags', 'file_tags_tag'],
      ] as const) {
        await trx.schema.dropIndex(index).execute();
        await trx.schema.createIndex(index).on(table).columns(['owner']).execute();
      }
      for (const table of noteTables) await trx.schema.alterTable(table).dropColumn('createdAt').execute();
      await addTimes(trx as never);
    });
    expect(await noteTimes()).toEqual(times);
  });

  const noteTables = ['file_marks', 'file_tags', 'collection_items'] as const;
  const noteTimes = async (): Promise<string[]> => {
    const rows = await Promise.all(
      noteTables.map((table) =>
        database.read.selectFrom(table).select(['fileId', 'createdAt']).orderBy('fileId').execute(),
      ),
    );
    return rows.flat().map(({ fileId, createdAt }) => `${fileId} ${createdAt}`);
  };
}

/** A table this small would be read as quickly as the list of what is not yet in the index, and its plans change with its statistics. */
async function settleIndexes(database: Database<DispatchTables>): Promise<void> {
  if (database.dialect === 'sqlite') return;
  await database.write((trx) => sql`select gin_clean_pending_list('file_texts_words')`.execute(trx));
  await database.write((trx) => sql`analyze`.execute(trx));
}

/** A page from the newest files, and one from the index of words. */
const everyLimits = [
  { maxWalked: 2_000, maxCounted: 30 },
  { maxWalked: 10, maxCounted: 3_000 },
];

/** For Postgres, reading all rows of `files` is the quickest way when there are 2,000. */
const wholeTable = /Seq Scan on file_texts|SCAN (files|file_texts)(?! USING)/;

const fixedQuestions: FileFilterQuery[] = [
  { q: 'cat' },
  { q: 'CAT boat' },
  { q: 'lighthouse castle cats' },
  { q: 'strasse' },
  { q: 'Straße' },
  { q: 'sun_set' },
  { q: "100% 'or' 1=1" },
  { q: '红色的猫' },
  { q: '猫' },
  { q: '窗台 cat' },
  { q: 'zeppelin' },
  { q: 'picture' },
  { q: 'cat', param: ['steps=20'] },
  { q: 'boat', kind: 'video', minWidth: 600 },
  { model: 'flux' },
  { model: 'FLUX.safetensors', maxPixels: 300_000 },
  { model: 'sd/xl.safetensors', minBytes: 500, maxBytes: 1_500 },
  { param: ['sampler=dpm++ 2m'] },
  { param: ['seed=7', 'steps=20'] },
  { workflow: 'flow-3', q: 'cat' },
  { workflow: 'Portraits', q: 'boat' },
  { since: '2030-01-01T00:05:00Z', until: '2030-01-01T00:08:00Z', q: 'boat' },
  { minPixels: 90_000_000 },
  { starred: true },
  { starred: false, q: 'cat' },
  { tag: 'liked', kind: 'image' },
  { tag: 'liked', starred: true, since: '2030-01-01T00:05:00Z' },
  { collectionId: 'set' },
  { collectionId: 'set', q: 'boat', source: 'output' },
];

function plantedFile(
  index: number,
  random: () => number,
  pick: <Item>(items: readonly Item[]) => Item,
): PlantedFile {
  const words = Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(nouns));
  const isPicture = random() < 0.9;
  return {
    row: {
      id: `${index % 2 ? 'B' : 'a'}-${index}`,
      owner: index % 10 === 0 ? 'eve' : index % 3 === 0 ? 'bob' : 'ada',
      filename: `picture_${index}.png`,
      sha256: `${index}`,
      size: Math.floor(random() * 2_000),
      contentType: pick(types),
      source: 'output',
      taskId: `task-${index}`,
      workflowId: `flow-${index % 7}`,
      width: isPicture ? pick([512, 768, 1_024]) : null,
      height: isPicture ? pick([512, 768, 1_024]) : null,
      blake3: null,
      // Several files have the same time, as the outputs of one task do.
      createdAt: new Date(Date.UTC(2030, 0, 1) + Math.floor(index / 3) * 1_000).toISOString(),
    },
    prompt: [...words, random() < 0.2 ? `${pick(chinese)}，${pick(chinese)}` : ''].join(
      pick([' ', ', ', '; ']),
    ),
    params: { seed: Math.floor(random() * 50), steps: pick([20, 30]), sampler: pick(['euler', 'DPM++ 2M']) },
    model: pick(['flux.safetensors', 'sd/xl.safetensors', 'sd\\flux.gguf']),
  };
}

function randomQuestion(random: () => number, pick: <Item>(items: readonly Item[]) => Item): FileFilterQuery {
  const some = <Value>(share: number, value: () => Value) => (random() < share ? value() : undefined);
  const given = {
    q: some(0.7, () => [pick(nouns), some(0.5, () => pick(nouns)), some(0.2, () => pick(chinese))].join(' ')),
    param: some(0.3, () => [`seed=${Math.floor(random() * 50)}`]),
    model: some(0.2, () => pick(['flux', 'xl', 'xl.safetensors'])),
    kind: some(0.2, () => pick(['image', 'video', 'text', 'other'] as const)),
    minWidth: some(0.2, () => pick([512, 600, 1_024])),
    maxHeight: some(0.2, () => pick([512, 768])),
    maxBytes: some(0.1, () => 1_000),
    since: some(0.2, () => '2030-01-01T00:04:00Z'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function isVisible({ row }: PlantedFile, owner: Owner): boolean {
  return !('user' in owner) || row.owner === owner.user;
}

/** The rule of docs/adr/0122 for the words that these files have, without an index. */
function fits({ row, prompt, params, model }: PlantedFile, query: FileFilterQuery): boolean {
  const texts = [row.filename, prompt, model, String(params.sampler)].map((text) => text.toLowerCase());
  const has = (word: string) =>
    /\p{Script=Han}/u.test(word)
      ? pairsOf(word).every((pair) => texts.some((text) => text.includes(pair)))
      : texts.some((text) => text.split(/[^\p{L}\p{N}]+/u).includes(word));
  const words = (query.q ?? '').toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const names = [model, model.replace(/^.*[/\\]/, ''), model.replace(/^.*[/\\]/, '').replace(/\..*/, '')];
  const { width, height } = row;
  const within = (value: number | null, low: number | undefined, high: number | undefined) =>
    (low === undefined || (value !== null && value >= low)) &&
    (high === undefined || (value !== null && value <= high));
  const pixels = width === null || height === null ? null : width * height;
  return (
    words.every(has) &&
    (query.param ?? []).every((param) => {
      const [name = '', value] = param.split('=');
      return `${params[name]}`.toLowerCase() === value;
    }) &&
    (query.model === undefined || names.includes(query.model.toLowerCase())) &&
    (query.kind === undefined || kindOf(row.contentType) === query.kind) &&
    (query.workflow === undefined ||
      [row.workflowId, nameOf[row.workflowId ?? '']].includes(query.workflow)) &&
    (query.source === undefined || row.source === query.source) &&
    (query.starred === undefined || isNoted(row, 7) === query.starred) &&
    (query.tag === undefined || isNoted(row, 5)) &&
    (query.collectionId === undefined || isInSet(row)) &&
    within(width, query.minWidth, query.maxWidth) &&
    within(height, query.minHeight, query.maxHeight) &&
    within(pixels, query.minPixels, query.maxPixels) &&
    within(row.size, query.minBytes, query.maxBytes) &&
    within(Date.parse(row.createdAt), timeOf(query.since), timeOf(query.until))
  );
}

/** Every seventh file has a star, for example. */
function isNoted({ taskId }: FileRow, every: number): boolean {
  return Number(taskId?.slice('task-'.length)) % every === 0;
}

/** A collection has files of one user. */
function isInSet(row: FileRow): boolean {
  return row.owner === 'ada' && isNoted(row, 11);
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}

function pairsOf(run: string): string[] {
  return run.length === 1 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}

function kindOf(type: string): string {
  if (type === 'application/json') return 'text';
  return type.slice(0, type.indexOf('/'));
}

function inOrder(files: readonly PlantedFile[]): string[] {
  const key = ({ row }: PlantedFile) => `${row.createdAt} ${row.id}`;
  return [...files].sort((one, other) => (key(one) < key(other) ? 1 : -1)).map(({ row }) => row.id);
}

async function allPages(store: FileListStore, owner: Owner, query: FileFilterQuery): Promise<string[]> {
  const ids: string[] = [];
  let after: FilePlace | undefined;
  do {
    const page: FileRow[] = await store.page(owner, {
      ...filterOf(query, { retentionMs: null }),
      limit: 400,
      offset: 0,
      after,
    });
    ids.push(...page.map(({ id }) => id));
    after = page.length < 400 ? undefined : page.at(-1);
  } while (after !== undefined);
  return ids;
}

/** Returns how the engine carries out each statement of a read. */
async function plansOf(
  database: Database<DispatchTables>,
  read: (watched: Database<DispatchTables>) => Promise<unknown>,
): Promise<string[]> {
  return database.snapshot(async (frozen) => {
    const nodes: RootOperationNode[] = [];
    const given = new Map<unknown, RootOperationNode>();
    const watching: KyselyPlugin = {
      transformQuery: ({ queryId, node }) => {
        given.set(queryId, node);
        return node;
      },
      // Parts of a statement have no result of their own.
      transformResult: async ({ queryId, result }) => {
        const node = given.get(queryId);
        if (node) nodes.push(node);
        return result;
      },
    };
    const watched = Object.create(frozen, { read: { value: frozen.read.withPlugin(watching) } });
    watched.snapshot = (inner: (all: Database<unknown>) => Promise<unknown>) => inner(watched);
    await read(watched);
    const executor = frozen.read.getExecutor();
    const plans: string[] = [];
    // Notes fit into a few pages here, which Postgres reads as a whole though an index could serve them.
    if (database.dialect === 'postgres')
      await frozen.read.executeQuery(CompiledQuery.raw(`select set_config('enable_seqscan', 'off', true)`));
    for (const node of nodes) {
      const { sql: text, parameters } = executor.compileQuery(node, { queryId: 'plan' });
      // Notes are read by the ids of a page, for which this table is small.
      if (/"caption"|"tag" from/.test(text)) continue;
      const explain = database.dialect === 'sqlite' ? 'explain query plan' : 'explain';
      const { rows } = await frozen.read.executeQuery(
        CompiledQuery.raw(`${explain} ${text}`, [...parameters]),
      );
      const plan = (rows as Record<string, unknown>[])
        .map((row) => row.detail ?? row['QUERY PLAN'])
        .join('\n');
      // Rows that were chosen are a table of this name of their own.
      plans.push(/SCAN (chosen|found)/.test(plan) ? plan.replace(/SCAN files$/gm, '') : plan);
    }
    return plans;
  });
}

/** A small generator, so that a failure can be repeated by its seed. */
function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
