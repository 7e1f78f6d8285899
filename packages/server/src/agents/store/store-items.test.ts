import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openAgentTables } from '../../../testing/agent-tables.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DatabaseOptions } from '../../platform/database/open.ts';
import { graphStores } from './graph-store.ts';
import { forgetItemsOfUser, StoreItemStore } from './store-item-store.ts';
import { StoreItems, storeLimits } from './store-items.ts';
import { StoreMeanings } from './store-meanings.ts';
import { StoreVectorStore } from './store-vector-store.ts';
import type { AgentTables } from './tables.ts';
import { bytesOf, unitVector } from './vector.ts';

const ada: Owner = { user: 'ada' };
const bob: Owner = { user: 'bob' };
const postgres = testPostgres('the store on Postgres');
let nowMs = 0;
let items: StoreItems;

describe('the store in memory', () => storeBehaves(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  storeBehaves(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

function storeBehaves(where: () => Promise<DatabaseOptions>): void {
  let database: Database<AgentTables>;

  beforeAll(async () => {
    database = await openAgentTables(await where());
  });
  afterAll(() => database.close());

  beforeEach(async () => {
    await database.write((trx) => trx.deleteFrom('store_items').execute());
    nowMs = Date.parse('2030-01-01T00:00:00Z');
    items = new StoreItems({ store: new StoreItemStore(database), clock: () => nowMs });
  });

  it('keeps an item, and replaces it without losing its creation time', async () => {
    await put('facts', 'one', { likes: 'tea' });
    nowMs += 1_000;
    await put('facts', 'one', { likes: 'coffee' });

    expect(await items.get(ada, ['facts'], { key: 'one' })).toEqual({
      namespace: ['facts'],
      key: 'one',
      value: { likes: 'coffee' },
      created_at: '2030-01-01T00:00:00.000Z',
      updated_at: '2030-01-01T00:00:01.000Z',
    });
  });

  it('shows no user the items of another user', async () => {
    await put('facts', 'one', { likes: 'tea' });
    await items.put(bob, ['facts'], { key: 'one', value: { likes: 'milk' } });
    await items.delete(bob, ['facts'], 'one');

    expect(await items.get(bob, ['facts'], { key: 'one' })).toBeNull();
    expect(await items.search(bob, search([]))).toEqual([]);
    expect(await items.namespaces(bob, namespaces({}))).toEqual([]);
    expect(await items.get(ada, ['facts'], { key: 'one' })).toMatchObject({ value: { likes: 'tea' } });
  });

  it('finds everything below a namespace, and nothing beside it', async () => {
    for (const name of ['a', 'a.b', 'a.b.c', 'ab', 'a-b', 'b']) await put(name, 'key', { name });

    const found = await items.search(ada, search(['a']));
    expect(found.map(({ namespace }) => namespace.join('.'))).toEqual(['a', 'a.b', 'a.b.c']);
    expect(await items.search(ada, search([]))).toHaveLength(6);
  });

  it.each([
    [{ kind: 'fruit' }, ['apple', 'pear']],
    [{ kind: 'fruit', grams: { $gt: 150 } }, ['pear']],
    [{ grams: { $gte: 150, $lt: 500 } }, ['apple', 'pear']],
    [{ grams: { $gt: '0' } }, []],
    [{ kind: { $ne: 'fruit' } }, ['bread']],
    [{ kind: { $in: ['bakery', 'dairy'] } }, ['bread']],
    [{ kind: { $nin: ['bakery'] } }, ['apple', 'pear']],
    [{ from: { country: 'fr', region: 'n' } }, ['pear']],
    [{ constructor: 'x' }, []],
  ])('filters by %j', async (filter, keys) => {
    await put('food', 'apple', { kind: 'fruit', grams: 150 });
    await put('food', 'bread', { kind: 'bakery', grams: 500 });
    await put('food', 'pear', { kind: 'fruit', grams: 180, from: { region: 'n', country: 'fr' } });

    const found = await items.search(ada, { ...search(['food']), filter });
    expect(found.map(({ key }) => key)).toEqual(keys);
  });

  it('pages through more items than it reads at once, without gaps or duplicates', async () => {
    await Promise.all(
      Array.from({ length: 230 }, (_, index) => put('many', key(index), { even: index % 2 === 0 })),
    );
    const seen: string[] = [];
    for (let offset = 0; offset < 230; offset += 60) {
      const page = await items.search(ada, { prefix: ['many'], filter: { even: true }, limit: 60, offset });
      seen.push(...page.map((item) => item.key));
    }

    expect(seen).toEqual(Array.from({ length: 115 }, (_, index) => key(index * 2)));
  });

  it('lists namespaces by beginning, end and depth', async () => {
    for (const name of ['users.ada.notes', 'users.ada.facts', 'users.bob.notes', 'shared'])
      await put(name, 'k', {});

    expect(await names({})).toEqual(['shared', 'users.ada.facts', 'users.ada.notes', 'users.bob.notes']);
    expect(await names({ prefix: ['users', '*', 'notes'] })).toEqual(['users.ada.notes', 'users.bob.notes']);
    expect(await names({ suffix: ['notes'] })).toEqual(['users.ada.notes', 'users.bob.notes']);
    expect(await names({ prefix: ['users'], maxDepth: 2 })).toEqual(['users.ada', 'users.bob']);
    expect(await names({ limit: 1, offset: 1 })).toEqual(['users.ada.facts']);
  });

  it('forgets an item when its time is over, unless it is read before', async () => {
    await items.put(ada, ['short'], { key: 'read', value: {}, ttlMinutes: 10 });
    await items.put(ada, ['short'], { key: 'unread', value: {}, ttlMinutes: 10 });
    nowMs += 6 * 60_000;
    await items.get(ada, ['short'], { key: 'read' });
    await items.get(ada, ['short'], { key: 'unread', refreshTtl: false });
    nowMs += 6 * 60_000;

    expect((await items.search(ada, search([]))).map((item) => item.key)).toEqual(['read']);
    expect(await items.get(ada, ['short'], { key: 'unread' })).toBeNull();
    await items.sweep();
    nowMs -= 6 * 60_000;
    expect((await items.search(ada, search([]))).map((item) => item.key)).toEqual(['read']);
  });

  it.each([
    [[], 'at least one label'],
    [[''], 'may not be empty'],
    [['a', 'b.c'], 'may not contain a dot'],
    [['langgraph', 'x'], 'may not be "langgraph"'],
    [Array(21).fill('a'), 'at most 20 labels'],
    [['x'.repeat(129)], 'at most 128 characters'],
  ])('refuses the namespace %j', async (namespace, message) => {
    await expect(items.put(ada, namespace, { key: 'k', value: {} })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining(message),
    });
  });

  it('refuses keys and values beyond their limits', async () => {
    const long = 'x'.repeat(storeLimits.valueBytes);

    await expect(put('a', '', {})).rejects.toThrow('A key has 1 to 512 characters');
    await expect(put('a', 'x'.repeat(513), {})).rejects.toThrow('A key has 1 to 512 characters');
    await expect(put('a', 'k', { long })).rejects.toThrow('A value has at most');
  });

  it('reports a filter operator that does not exist', async () => {
    const filter = { a: { $like: 'x' } };

    await expect(items.search(ada, { ...search([]), filter })).rejects.toThrow('There is no operator $like');
  });

  it('accepts no more items than a user may have, and still replaces them', async () => {
    const at = '2030-01-01T00:00:00.000Z';
    const rows = Array.from({ length: storeLimits.itemsPerUser }, (_, index) => ({
      user_id: 'ada',
      namespace: 'full',
      key: key(index),
      value: '{}',
      created_at: at,
      updated_at: at,
      expires_at: null,
      ttl_minutes: null,
    }));
    for (let from = 0; from < rows.length; from += 1_000) {
      await database.write((trx) =>
        trx
          .insertInto('store_items')
          .values(rows.slice(from, from + 1_000))
          .execute(),
      );
    }

    await expect(put('full', 'one more', {})).rejects.toMatchObject({ code: 'store_full' });
    await put('full', key(0), { changed: true });
    expect(await items.get(ada, ['full'], { key: key(0) })).toMatchObject({ value: { changed: true } });
    await items.put(bob, ['full'], { key: 'first', value: {} });
  });

  it('forgets the meanings of an item with the item, when it expires and when its user goes', async () => {
    const vectors = new StoreVectorStore(database);
    const embedder = {
      model: 'm',
      embed: async (texts: readonly string[]) => texts.map(() => unitVector([1, 2])),
    };
    const meanings = new StoreMeanings({ embedder, fields: ['$'] }, vectors);
    const indexed = new StoreItems({ store: new StoreItemStore(database), meanings, clock: () => nowMs });
    const near = { ...search(['a']), query: 'x' };
    await indexed.put(ada, ['a', 'b'], { key: 'kept', value: { a: 1 } });
    await indexed.put(ada, ['a'], { key: 'expiring', value: { a: 1 }, ttlMinutes: 1 });
    await indexed.put(ada, ['ab'], { key: 'beside', value: { a: 1 } });
    await indexed.put(bob, ['a'], { key: 'of bob', value: { a: 1 } });
    const found = await indexed.search(ada, near);
    expect(found.map((item) => item.key)).toEqual(['expiring', 'kept']);
    expect(found[0]?.score).toBeCloseTo(1, 5);

    nowMs += 60_001;
    expect((await indexed.search(ada, near)).map((item) => item.key)).toEqual(['kept']);
    await indexed.sweep();
    await database.write((trx) => forgetItemsOfUser(trx, 'bob'));
    const left = await database.read.selectFrom('store_vectors').select('key').orderBy('key').execute();
    expect(left).toEqual([{ key: 'beside' }, { key: 'kept' }]);
    await database.write((trx) => trx.deleteFrom('store_vectors').execute());
  });

  it('takes the first writes of one indexed item that arrive at once, and keeps the vectors of one of them', async () => {
    const embedder = {
      model: 'm',
      embed: async (texts: readonly string[]) => texts.map((text) => unitVector([text.length, 1])),
    };
    const meanings = new StoreMeanings({ embedder, fields: ['a'] }, new StoreVectorStore(database));
    const indexed = new StoreItems({ store: new StoreItemStore(database), meanings, clock: () => nowMs });
    for (let round = 0; round < 10; round += 1) {
      const name = `pair ${round}`;
      const values = ['short', 'much longer'].map((a) => ({ a }));
      await Promise.all(values.map((value) => indexed.put(ada, ['pairs'], { key: name, value })));
      const item = await indexed.get(ada, ['pairs'], { key: name });
      const vectors = database.read.selectFrom('store_vectors').select('vector').where('key', '=', name);
      expect((await vectors.execute()).map(({ vector }) => [...vector])).toEqual([
        [...bytesOf(unitVector([String(item?.value.a).length, 1]))],
      ]);
    }
    await database.write((trx) => trx.deleteFrom('store_vectors').execute());
  });

  it('is reached by graphs, separately for each user', async () => {
    const storeOf = graphStores(items);
    const [forAda, forBob] = [storeOf('ada'), storeOf('bob')];
    await forAda.put(['facts', 'food'], 'tea', { likes: true });
    await forAda.put(['facts'], 'sea', { likes: false });

    expect(await forAda.get(['facts', 'food'], 'tea')).toEqual({
      namespace: ['facts', 'food'],
      key: 'tea',
      value: { likes: true },
      createdAt: new Date(nowMs),
      updatedAt: new Date(nowMs),
    });
    const found = await forAda.search(['facts'], { filter: { likes: true }, query: 'what I like' });
    expect(found.map((item) => item.key)).toEqual(['tea']);
    expect(await forAda.listNamespaces({ prefix: ['facts'], maxDepth: 1 })).toEqual([['facts']]);
    await forAda.delete(['facts'], 'sea');
    expect(await forAda.get(['facts'], 'sea')).toBeNull();
    expect(await forBob.search([])).toEqual([]);
    await expect(forBob.put(['a.b'], 'k', {})).rejects.toThrow('cannot contain periods');
  });
}

function put(namespace: string, name: string, value: Record<string, unknown>): Promise<void> {
  return items.put(ada, namespace.split('.'), { key: name, value });
}

function search(prefix: string[]) {
  return { prefix, limit: 100, offset: 0 };
}

function namespaces(differences: {
  prefix?: string[];
  suffix?: string[];
  maxDepth?: number;
  limit?: number;
  offset?: number;
}) {
  return { prefix: [], suffix: [], limit: 100, offset: 0, ...differences };
}

async function names(differences: Parameters<typeof namespaces>[0]): Promise<string[]> {
  return (await items.namespaces(ada, namespaces(differences))).map((labels) => labels.join('.'));
}

function key(index: number): string {
  return String(index).padStart(4, '0');
}
