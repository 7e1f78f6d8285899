import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables, ThreadRow } from '../tables.ts';
import {
  type Condition,
  metadataParts,
  type SortColumn,
  type ThreadFilter,
  type ThreadOrder,
} from './thread-filter.ts';
import { ThreadSearch } from './thread-search.ts';
import { type Step, ThreadSearchStore } from './thread-search-store.ts';
import { setBusy, ThreadStore } from './thread-store.ts';

const postgres = testPostgres('search of threads on Postgres');

describe('search of threads in memory', () => searchBehaves(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  searchBehaves(async () => patientPostgres(await postgres.createDatabase(), 10)),
);

const anna = { user: 'anna' };
const all: ThreadFilter = { conditions: [], parts: [], values: [], ids: null, title: null };
const byTime = { sortBy: 'updated_at', order: 'desc' } as const;

interface Known {
  row: ThreadRow;
  metadata: Record<string, unknown>;
  values: Record<string, unknown>;
}

function has(key: string, value: unknown): Condition {
  return { kind: 'metadata', key, value: JSON.stringify(value) };
}

function searchBehaves(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let search: ThreadSearch;
  const known: Known[] = [];

  beforeAll(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    const store = new ThreadStore(database);
    for (let at = 0; at < 120; at += 1) await add(store, at);
    await store.create({ user: 'bert' }, { threadId: 'theirs', metadata: { all: 1 }, at: timeOf(500) });
    await store.create(anna, { threadId: 'shared', metadata: { all: 1 }, at: timeOf(501) });
    await database.write(async (trx) => {
      for (const table of ['threads', 'thread_metadata'] as const)
        await trx.updateTable(table).set({ user_id: null }).where('thread_id', '=', 'shared').execute();
    });
    search = new ThreadSearch(new ThreadSearchStore(database), {
      countCeiling: 100,
      smallSet: 10,
      stepSize: 7,
      lookedForTotal: 50,
    });
  });
  afterAll(() => database.close());

  /** Times repeat, so that pages must be ordered by more than the time. */
  const timeOf = (at: number) => new Date(Date.UTC(2030, 0, 1) + Math.floor(at / 3) * 1000).toISOString();

  async function add(store: ThreadStore, at: number): Promise<void> {
    const threadId = `t-${(at * 37) % 120}`;
    const metadata = {
      all: 1,
      half: at % 2 === 0,
      few: at % 40,
      text: at % 3 === 0 ? '1' : 1,
      ...(at % 5 === 0 && { none: null }),
    };
    await store.create(anna, { threadId, metadata, at: timeOf(at) });
    const values = { turn: at % 4, title: `Talk ${at}` };
    if (at % 3 !== 0) {
      const state = { values, next: at % 10 === 1 ? ['ask'] : [], interrupts: {}, checkpointId: 'c' };
      await store.saveState(threadId, { state, at: timeOf(at + (at % 7)) });
    }
    if (at % 25 === 0) {
      const stamp = { graph_id: 'echo', assistant_id: 'echo' };
      await database.write((trx, lastly) =>
        setBusy(trx, threadId, { lastly, stamp, assistant: stamp.assistant_id, at: timeOf(at) }),
      );
    }
    const row = await store.find(threadId);
    if (row) known.push({ row, metadata: JSON.parse(row.metadata), values: at % 3 === 0 ? {} : values });
  }

  /** The expected answer of a search, found by looking at every thread. */
  function expected({ conditions, values, ids, title }: ThreadFilter): Known[] {
    return known.filter(
      (thread) =>
        conditions.every((condition) =>
          condition.kind === 'status'
            ? thread.row.status === condition.status
            : condition.key in thread.metadata &&
              JSON.stringify(thread.metadata[condition.key]) === condition.value,
        ) &&
        values.every(({ key, value }) => thread.values[key] === value) &&
        (!ids || ids.includes(thread.row.thread_id)) &&
        (title === null || thread.row.display_name?.toLowerCase().includes(title.toLowerCase())),
    );
  }

  test('finds what objects and lists in the metadata contain', async () => {
    const store = new ThreadStore(database);
    const owner = { user: 'carl' };
    const metadata = { of: { team: 'blue', list: ['x', 2], deep: { on: null } } };
    await store.create(owner, { threadId: 'with-parts', metadata, at: timeOf(1) });
    await store.create(owner, { threadId: 'without', metadata: { of: 'blue' }, at: timeOf(2) });
    const find = async (wanted: object) => {
      const filter = { ...all, parts: metadataParts('of', wanted) };
      const found = await search.page(owner, {
        ...filter,
        ...byTime,
        limit: 10,
        offset: 0,
        withValues: false,
      });
      expect(await search.count(owner, filter)).toMatchObject({ count: found.threads.length });
      return found.threads.map(({ thread_id: id }) => id);
    };
    const parts = [
      {},
      { team: 'blue' },
      { list: [2, 'x'] },
      { list: [] },
      { deep: {} },
      { deep: { on: null } },
    ];
    for (const part of parts) expect(await find(part), JSON.stringify(part)).toEqual(['with-parts']);
    const others = [
      { team: 'red' },
      { list: ['2'] },
      { list: {} },
      { deep: [] },
      { gone: null },
      { team: {} },
    ];
    for (const other of others) expect(await find(other), JSON.stringify(other)).toEqual([]);
  });

  function sorted(threads: Known[], sortBy: SortColumn, order: 'asc' | 'desc'): string[] {
    const columns = { status: ['status', 'updated_at', 'thread_id'] as const }[sortBy as string] ?? [
      sortBy,
      'thread_id' as const,
    ];
    const rank = ({ row }: Known) => columns.map((column) => row[column]).join('\0');
    const ascending = [...threads].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
    const ids = ascending.map(({ row }) => row.thread_id);
    return order === 'asc' ? ids : ids.reverse();
  }

  const filters: [string, ThreadFilter][] = [
    ['nothing', all],
    ['what all have', { ...all, conditions: [has('all', 1)] }],
    ['what half have', { ...all, conditions: [has('half', true)] }],
    ['what few have', { ...all, conditions: [has('few', 3)] }],
    ['what none has', { ...all, conditions: [has('few', 'three')] }],
    ['a key that none has', { ...all, conditions: [has('colour', 'red')] }],
    ['what half and all have', { ...all, conditions: [has('all', 1), has('half', false)] }],
    ['what few and half have', { ...all, conditions: [has('half', false), has('few', 3)] }],
    ['two that never meet', { ...all, conditions: [has('half', true), has('few', 3)] }],
    ['a text that looks like a number', { ...all, conditions: [has('text', '1')] }],
    ['a number that looks like a text', { ...all, conditions: [has('text', 1)] }],
    ['null, which is not a missing key', { ...all, conditions: [has('none', null)] }],
    ['a status', { ...all, conditions: [{ kind: 'status', status: 'interrupted' }] }],
    ['a status and metadata', { ...all, conditions: [has('all', 1), { kind: 'status', status: 'busy' }] }],
    ['values', { ...all, values: [{ key: 'turn', value: 2 }] }],
    [
      'values and metadata',
      { ...all, conditions: [has('half', false)], values: [{ key: 'turn', value: 1 }] },
    ],
    ['ids', { ...all, ids: ['t-1', 't-5', 'theirs', 'shared', 'nowhere'] }],
    ['ids and metadata', { ...all, conditions: [has('half', true)], ids: ['t-1', 't-2', 't-3', 't-4'] }],
    ['no ids', { ...all, ids: [] }],
    ['a part of the title', { ...all, title: 'ALK 1' }],
    ['a part of the title and metadata', { ...all, title: 'talk', conditions: [has('half', true)] }],
    ['a sign that stands for any text elsewhere', { ...all, title: 'T%k' }],
  ];
  const orders = (['thread_id', 'status', 'created_at', 'updated_at', 'state_updated_at'] as const).flatMap(
    (sortBy) => (['asc', 'desc'] as const).map((order) => ({ sortBy, order })),
  );

  /** Reads page after page, until there is no next one. */
  async function idsOnPages(filter: ThreadFilter, order: ThreadOrder): Promise<string[]> {
    const wanted = expected(filter).length;
    const found: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page = { ...filter, ...order, limit: 11, offset, withValues: false };
      const { threads, total, nextOffset } = await search.page(anna, page);
      expect([null, Math.min(wanted, 100)]).toContain(total);
      found.push(...threads.map(({ thread_id }) => thread_id));
      offset = nextOffset;
    }
    return found;
  }

  test.each(filters)('pages of %s contain each thread once, in every order', async (_name, filter) => {
    for (const order of orders) {
      const wanted = sorted(expected(filter), order.sortBy, order.order);
      expect(await idsOnPages(filter, order), `${order.sortBy} ${order.order}`).toEqual(wanted);
    }
  });

  test.each(filters)('the count of %s is exact', async (_name, filter) => {
    const { length } = expected(filter);
    const isMinimum = filter.ids === null && length > 100;
    expect(await search.count(anna, filter)).toEqual({ count: isMinimum ? 100 : length, isMinimum });
  });

  test('a page far beyond the end is empty', async () => {
    const page = { ...all, ...byTime, limit: 10, offset: 1_000_000, withValues: false };
    expect(await search.page(anna, page)).toEqual({
      threads: [],
      total: 100,
      nextOffset: null,
      isPartial: false,
    });
  });

  test('values are included only when they are requested', async () => {
    const page = { ...all, ...byTime, ids: ['t-37'], limit: 10, offset: 0 };
    const withValues = await search.page(anna, { ...page, withValues: true });
    expect(JSON.parse(withValues.threads[0]?.values ?? '')).toEqual({ turn: 1, title: 'Talk 1' });
    const without = await search.page(anna, { ...page, withValues: false });
    expect(without.threads[0]).not.toHaveProperty('values');
  });

  test('a page ends early when its values would be too large, but holds at least one thread', async () => {
    const small = new ThreadSearch(new ThreadSearchStore(database), { pageBytes: 60 });
    const wanted = sorted(known, 'updated_at', 'desc');
    const found: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const page = { ...all, ...byTime, limit: 50, offset, withValues: true };
      const { threads, nextOffset } = await small.page(anna, page);
      const bytes = threads.reduce((sum, { values }) => sum + (values?.length ?? 0), 0);
      expect(threads.length === 1 || bytes <= 60).toBe(true);
      found.push(...threads.map(({ thread_id }) => thread_id));
      offset = nextOffset;
    }
    expect(found).toEqual(wanted);
  });

  test('looks at a limited number of threads for a rare value, and says that others may match', async () => {
    let looked = 0;
    class Counting extends ThreadSearchStore {
      override async step(...wanted: Parameters<ThreadSearchStore['step']>): Promise<Step> {
        const step = await super.step(...wanted);
        looked += step.looked;
        return step;
      }
    }
    const bounded = new ThreadSearch(new Counting(database), { smallSet: 10, stepSize: 7, lookedAt: 20 });
    const rare: ThreadFilter = { ...all, values: [{ key: 'title', value: 'Talk 1' }] };
    const page = { ...rare, ...byTime, limit: 10, offset: 0, withValues: false };
    expect(await bounded.page(anna, page)).toEqual({
      threads: [],
      total: null,
      nextOffset: null,
      isPartial: true,
    });
    expect(looked).toBe(20);
    expect(await bounded.count(anna, rare)).toEqual({ count: 0, isMinimum: true });
    expect(looked).toBe(40);
    const { threads, isPartial } = await search.page(anna, page);
    expect([threads.length, isPartial]).toEqual([1, false]);
  });

  test('never counts beyond the ceiling, in whichever order', async () => {
    const bounded = new ThreadSearch(new ThreadSearchStore(database), {
      smallSet: 10,
      stepSize: 7,
      countCeiling: 30,
    });
    for (const filter of [
      all,
      { ...all, conditions: [has('all', 1)] },
      { ...all, conditions: [has('all', 1), has('half', true)] },
    ])
      expect(await bounded.count(anna, filter)).toEqual({ count: 30, isMinimum: true });
  });

  test('a search without a user is an error', async () => {
    const page = { ...all, ...byTime, limit: 10, offset: 0, withValues: false };
    await expect(search.page({ system: 'test' }, page)).rejects.toThrow('searched for a user');
    await expect(search.count({ user: '' }, all)).rejects.toThrow('without an owner');
  });
}
