import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { conversationMigrations } from '../migrations.ts';
import type { ConversationTables } from '../tables.ts';
import { AssistantStore } from './assistant-store.ts';

const postgres = testPostgres('assistants on Postgres');
const ada = { user: 'ada' };
const bob = { user: 'bob' };
const at = '2030-01-01T00:00:00.000Z';
const later = '2030-01-02T00:00:00.000Z';
const few = { max: 3 };

describe('assistants in memory', () => assistantsBehave(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  assistantsBehave(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

function assistantsBehave(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let store: AssistantStore;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'conversation', conversationMigrations);
    store = new AssistantStore(opened.withTables<ConversationTables>());
  });
  afterAll(() => opened.close());

  beforeEach(async () => {
    for (const owner of [ada, bob]) {
      for (const { assistant_id } of await store.list(owner)) await store.delete(owner, assistant_id);
    }
  });

  it('are created once when several requests create the same one at the same time', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => store.insert(ada, row('a'), few)));

    expect(made.filter((present) => present === undefined)).toHaveLength(1);
    expect(await store.versions(ada, 'a')).toHaveLength(1);
  });

  it('are limited in number for each user', async () => {
    for (const id of ['a', 'b', 'c']) await store.insert(ada, row(id), few);

    await expect(store.insert(ada, row('d'), few)).rejects.toMatchObject({ code: 'assistant_limit' });
    expect(await store.insert(bob, row('d'), few)).toBeUndefined();
  });

  it('belong to one user, even when another user has one with the same id', async () => {
    await store.insert(ada, row('a', 'of ada'), few);
    await store.insert(bob, row('a', 'of bob'), few);
    await store.change(bob, 'a', { at: later, change: (present) => ({ ...present, name: 'changed' }) });
    expect(await store.delete(bob, 'a')).toBe(true);

    expect(await store.get(ada, 'a')).toMatchObject({ name: 'of ada', version: 1, updated_at: at });
    expect(await store.versions(ada, 'a')).toHaveLength(1);
    expect(await store.delete(bob, 'a')).toBe(false);
  });

  it('number a new version after the highest one, even when an older version is in use', async () => {
    await store.insert(ada, row('a', 'one'), few);
    await rename('two');
    expect(await store.useVersion(ada, 'a', { version: 1, at: later })).toMatchObject({
      name: 'one',
      version: 1,
      created_at: at,
      updated_at: later,
    });

    expect(await rename('three')).toMatchObject({ version: 3 });
    expect((await store.versions(ada, 'a')).map(({ name }) => name)).toEqual(['three', 'two', 'one']);
    expect(await store.useVersion(ada, 'a', { version: 4, at: later })).toBeUndefined();
    expect(await store.useVersion(bob, 'a', { version: 1, at: later })).toBeUndefined();
  });

  it('get different version numbers when they are changed at the same time', async () => {
    await store.insert(ada, row('a'), few);
    const changed = await Promise.all(['x', 'y', 'z'].map(rename));

    expect(changed.map((each) => each?.version).sort()).toEqual([2, 3, 4]);
  });

  it('keep the newest hundred versions', async () => {
    await store.insert(ada, row('a'), few);
    for (let count = 0; count < 102; count += 1) await rename(`name ${count}`);
    const versions = (await store.versions(ada, 'a')).map(({ version }) => version);

    expect(versions).toHaveLength(100);
    expect([versions[0], versions.at(-1)]).toEqual([103, 4]);
  });

  function rename(name: string) {
    return store.change(ada, 'a', { at: later, change: ({ ...present }) => content({ ...present, name }) });
  }
}

function row(assistantId: string, name = 'x') {
  return { assistant_id: assistantId, ...content({ name }), version: 1, created_at: at, updated_at: at };
}

function content({ name }: { name: string }) {
  return { graph_id: 'chat', name, description: null, config: '{}', context: '{}', metadata: '{}' };
}
