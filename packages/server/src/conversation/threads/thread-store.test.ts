import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StateView } from '../../agents/run-contract/agent-run.ts';
import { AppError } from '../../lib/app-error.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';
import { snapshotOf } from './thread-snapshot-store.ts';
import { createIfMissing, nextAdmission, setBusy, settle, ThreadStore } from './thread-store.ts';

const postgres = testPostgres('records of threads on Postgres');

describe('records of threads in memory', () => recordsBehave(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  recordsBehave(async () => patientPostgres(await postgres.createDatabase(), 10)),
);

const anna = { user: 'anna' };
const bert = { user: 'bert' };
const earlier = '2030-01-01T00:00:00.000Z';
const later = '2030-01-01T00:00:01.000Z';
const stamp = { graph_id: 'echo', assistant_id: 'echo' };

function state(fields: Partial<StateView> = {}): StateView {
  return { values: {}, next: [], interrupts: {}, checkpointId: 'checkpoint-1', ...fields };
}

function recordsBehave(where: () => Promise<DatabaseOptions>): void {
  let database: Database<ConversationTables>;
  let store: ThreadStore;
  let made = 0;

  beforeAll(async () => {
    const opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    database = opened.withTables<ConversationTables>();
    store = new ThreadStore(database);
  });
  afterAll(() => database.close());

  async function thread(metadata: Record<string, unknown> = {}): Promise<string> {
    made += 1;
    const threadId = `thread-${made}`;
    await store.create(anna, { threadId, metadata, at: earlier });
    return threadId;
  }

  const indexed = (threadId: string) =>
    database.read
      .selectFrom('thread_metadata')
      .select(['key', 'value', 'updated_at', 'user_id'])
      .where('thread_id', '=', threadId)
      .orderBy('key')
      .execute();

  test('a thread is created once when several requests create it at the same time', async () => {
    const making = Array.from({ length: 8 }, () => store.create(anna, { threadId: 'once', at: earlier }));
    const made = await Promise.all(making);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(made.map(({ thread }) => thread.user_id))).toEqual(new Set(['anna']));
  });

  test('an id of another user is not found, and stays theirs', async () => {
    const threadId = await thread({ topic: 'mine' });
    await expect(store.create(bert, { threadId, at: later })).rejects.toMatchObject({
      code: 'thread_not_found',
    });
    expect(await store.find(threadId)).toMatchObject({ user_id: 'anna', metadata: '{"topic":"mine"}' });
  });

  test('a thread is never created without a user', async () => {
    const making = store.create({ system: 'test' }, { threadId: 'nobodys', at: earlier });
    await expect(making).rejects.toThrow('A thread is made for a user');
    expect(await store.find('nobodys')).toBeUndefined();
  });

  test('metadata is indexed by key, with its type, when it has a single value', async () => {
    const threadId = await thread({
      n: 1,
      s: '1',
      t: true,
      none: null,
      list: [1],
      deep: {},
      long: 'x'.repeat(2000),
    });
    expect(await indexed(threadId)).toEqual(
      [
        ['n', '1'],
        ['none', 'null'],
        ['s', '"1"'],
        ['t', 'true'],
      ].map(([key, value]) => ({ key, value, updated_at: earlier, user_id: 'anna' })),
    );
  });

  test('concurrent changes of different keys are all kept', async () => {
    const threadId = await thread({ kept: true });
    const keys = Array.from({ length: 10 }, (_, at) => `key-${at}`);
    await Promise.all(
      keys.map((key) => store.mergeMetadata(anna, threadId, { metadata: { [key]: key }, at: later })),
    );
    const merged = await store.find(threadId);
    expect(Object.keys(JSON.parse(merged?.metadata ?? '') as object).sort()).toEqual(
      ['kept', ...keys].sort(),
    );
    expect(await indexed(threadId)).toHaveLength(11);
  });

  test('another user changes nothing', async () => {
    const threadId = await thread();
    const change = { metadata: { topic: 'theirs' }, at: later };
    expect(await store.mergeMetadata(bert, threadId, change)).toBeUndefined();
    expect(await store.find(threadId)).toMatchObject({ metadata: '{}', updated_at: earlier });
  });

  test('metadata that grows beyond the limit of a thread is refused and changes nothing', async () => {
    const threadId = await thread({ kept: 1 });
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`key-${at}`, at]));
    const growing = store.mergeMetadata(anna, threadId, { metadata: many, at: later });
    await expect(growing).rejects.toMatchObject({ code: 'validation_failed' });
    expect(await store.find(threadId)).toMatchObject({ metadata: '{"kept":1}', updated_at: earlier });
  });

  test('a run makes the thread busy and records its graph; its end sets the thread’s status', async () => {
    const threadId = await thread({ topic: 'x' });
    const began = await database.write((trx, lastly) =>
      setBusy(trx, threadId, { lastly, stamp, assistant: stamp.assistant_id, at: later }),
    );
    expect(began).toBe(true);
    expect(await store.find(threadId)).toMatchObject({ status: 'busy', updated_at: later });
    expect((await indexed(threadId)).map(({ key, updated_at }) => [key, updated_at])).toEqual([
      ['assistant_id', later],
      ['graph_id', later],
      ['topic', later],
    ]);

    const interrupts = { task: [{ id: 'i', value: 'sure?' }] };
    const end = state({ values: { title: 'A walk', n: 1 }, next: ['ask'], interrupts });
    await database.write((trx, lastly) =>
      settle(trx, threadId, { lastly, status: 'interrupted', snapshot: snapshotOf(end), at: later }),
    );
    expect(await store.find(threadId)).toMatchObject({ status: 'interrupted', display_name: 'A walk' });
    const snapshot = await store.snapshot(threadId);
    expect(JSON.parse(snapshot?.values ?? '')).toEqual({ title: 'A walk', n: 1 });
    expect(JSON.parse(snapshot?.interrupts ?? '')).toEqual(interrupts);
  });

  test('a run that knows the metadata of the thread writes them with its status', async () => {
    const threadId = await thread({ topic: 'x' });
    const busy = { stamp, assistant: stamp.assistant_id, knownMetadata: '{"topic":"x"}', at: later };
    await database.write((trx, lastly) => setBusy(trx, threadId, { ...busy, lastly }));
    const found = await store.find(threadId);
    expect(JSON.parse(found?.metadata ?? '')).toEqual({ topic: 'x', ...stamp });
    expect((await indexed(threadId)).map(({ key, updated_at }) => [key, updated_at])).toEqual([
      ['assistant_id', later],
      ['graph_id', later],
      ['topic', later],
    ]);
  });

  test('a run keeps metadata that came after it has read the thread', async () => {
    const threadId = await thread();
    await store.mergeMetadata(anna, threadId, { metadata: { topic: 'new' }, at: later });
    const busy = { stamp, assistant: stamp.assistant_id, knownMetadata: '{}', at: later };
    await database.write((trx, lastly) => setBusy(trx, threadId, { ...busy, lastly }));
    const found = await store.find(threadId);
    expect(JSON.parse(found?.metadata ?? '')).toEqual({ topic: 'new', ...stamp });
    expect((await indexed(threadId)).map(({ key }) => key)).toEqual(['assistant_id', 'graph_id', 'topic']);
  });

  test('an end without a state keeps the state, and one without a title keeps the title', async () => {
    const threadId = await thread();
    const titled = state({ values: { title: 'Kept' } });
    await database.write((trx, lastly) =>
      settle(trx, threadId, { lastly, status: 'idle', snapshot: snapshotOf(titled), at: earlier }),
    );
    await database.write((trx, lastly) => settle(trx, threadId, { lastly, status: 'error', at: later }));
    expect(await store.find(threadId)).toMatchObject({ status: 'error', state_updated_at: earlier });
    await database.write((trx, lastly) =>
      settle(trx, threadId, {
        lastly,
        status: 'idle',
        snapshot: snapshotOf(state({ values: { title: ' ' } })),
        at: later,
      }),
    );
    expect(await store.find(threadId)).toMatchObject({ display_name: 'Kept', state_updated_at: later });
  });

  test('a state that is saved after a run has begun leaves the thread busy', async () => {
    const threadId = await thread();
    await store.saveState(threadId, { state: state({ next: ['ask'] }), at: later });
    expect(await store.find(threadId)).toMatchObject({ status: 'interrupted' });
    await database.write((trx, lastly) =>
      setBusy(trx, threadId, { lastly, stamp, assistant: stamp.assistant_id, at: later }),
    );
    await store.saveState(threadId, { state: state(), at: later });
    expect(await store.find(threadId)).toMatchObject({ status: 'busy' });
  });

  test('a deleted thread never comes back, neither by its creator nor by a run that ends late', async () => {
    const threadId = await thread({ topic: 'x' });
    await store.saveState(threadId, { state: state(), at: later });
    const row = { thread_id: threadId, user_id: 'anna' };
    const forgotten: string[] = [];
    const alongside = [async (_trx: unknown, id: string) => void forgotten.push(id)];
    expect(await store.delete(row, { alongside, at: later })).toBe(true);
    expect(await store.delete(row, { alongside, at: later })).toBe(false);
    expect(forgotten).toEqual([threadId, threadId]);

    await expect(store.create(anna, { threadId, at: later })).rejects.toBeInstanceOf(AppError);
    expect(
      await database.write((trx, lastly) =>
        setBusy(trx, threadId, { lastly, stamp, assistant: stamp.assistant_id, at: later }),
      ),
    ).toBe(false);
    const end = { status: 'idle', state: state(), at: later } as const;
    expect(await database.write((trx, lastly) => settle(trx, threadId, { ...end, lastly }))).toBe(false);
    expect(await store.find(threadId)).toBeUndefined();
    expect(await store.snapshot(threadId)).toBeUndefined();
    expect(await indexed(threadId)).toEqual([]);
    expect(await store.isDeleted(threadId)).toBe(true);
  });

  test('a thread is either created before a concurrent deletion or not at all', async () => {
    for (let round = 0; round < 10; round += 1) {
      const threadId = await thread();
      const row = { thread_id: threadId, user_id: 'anna' };
      await Promise.allSettled([
        store.create(anna, { threadId, at: later }),
        store.delete(row, { alongside: [], at: later }),
        store.create(anna, { threadId, at: later }),
      ]);
      expect(await store.find(threadId)).toBeUndefined();
    }
  });

  test('a thread whose deletion is refused by one part is not deleted', async () => {
    const threadId = await thread();
    const refusing = [async () => Promise.reject(new AppError('thread_busy'))];
    const row = { thread_id: threadId, user_id: 'anna' };
    await expect(store.delete(row, { alongside: refusing, at: later })).rejects.toMatchObject({
      code: 'thread_busy',
    });
    expect(await store.find(threadId)).toBeDefined();
    expect(await store.isDeleted(threadId)).toBe(false);
  });

  test('a thread whose creation failed leaves its id free', async () => {
    const threadId = await thread();
    await store.discard(threadId, { alongside: [] });
    expect(await store.create(bert, { threadId, at: later })).toMatchObject({ isNew: true });
  });

  test('files of a deleted thread are remembered until they are removed', async () => {
    const threadId = await thread();
    await store.delete({ thread_id: threadId, user_id: 'anna' }, { alongside: [], at: later });
    const left = async () => (await store.withFilesLeft(1000)).map(({ thread_id }) => thread_id);
    expect(await left()).toContain(threadId);
    await store.filesRemoved(threadId);
    expect(await left()).not.toContain(threadId);
  });

  test('runs get their places one after the other, even in a thread without a record', async () => {
    const taking = Array.from({ length: 5 }, () => database.write((trx) => nextAdmission(trx, 'bare')));
    expect((await Promise.all(taking)).sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test('a key leaves the index when its value is no longer searchable, and comes back', async () => {
    const threadId = await thread({ topic: 'x', kept: 1 });
    const merge = (topic: unknown) => store.mergeMetadata(anna, threadId, { metadata: { topic }, at: later });
    await merge({ deep: true });
    expect((await indexed(threadId)).map(({ key, updated_at }) => [key, updated_at])).toEqual([
      ['kept', later],
    ]);
    await merge('y');
    expect((await indexed(threadId)).map(({ key, value }) => [key, value])).toEqual([
      ['kept', '1'],
      ['topic', '"y"'],
    ]);
  });

  test('only ids of no thread are unknown', async () => {
    const [present, deleted] = [await thread(), await thread()];
    await store.delete({ thread_id: deleted, user_id: 'anna' }, { alongside: [], at: later });
    expect(await store.unknownAmong([present, deleted, 'never-made'])).toEqual(['never-made']);
  });

  test('a run that creates its thread sees the owner inside its own unit', async () => {
    const threadId = await thread();
    const starting = database.write((trx, lastly) =>
      createIfMissing(trx, bert, { threadId, at: later, lastly }),
    );
    await expect(starting).rejects.toMatchObject({ code: 'thread_not_found' });
  });
}
