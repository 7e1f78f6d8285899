import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { NodeInputStore } from '../instances/node-input-store.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { TaskCostStore } from '../tasks/task-cost-store.ts';
import { SavedWorkflowStore, type StoredWorkflow } from './saved-workflow-store.ts';

const postgres = testPostgres('saved workflows on Postgres');
const at = '2030-01-01T00:00:00.000Z';
const many = { max: 100 };
const all = { limit: 100, offset: 0 };

describe('saved workflows in memory', () => workflowsBehave(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  workflowsBehave(async () => patientPostgres(await postgres.createDatabase(), 5)),
);

function workflowsBehave(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let database: Database<DispatchTables>;
  let store: SavedWorkflowStore;
  let users = 0;
  let user: { user: string };

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    database = opened.withTables<DispatchTables>();
    store = new SavedWorkflowStore(database);
  });
  afterAll(() => opened.close());

  const insert = (id: string, name = id, max = many) =>
    store.insert(user, workflow(user.user, { id: `${user.user}-${id}`, name }), max);
  const newUser = () => {
    users += 1;
    user = { user: `user-${users}` };
  };

  it("never exceed a user's limit, even when several are added at once", async () => {
    newUser();
    const made = await Promise.allSettled(['a', 'b', 'c', 'd'].map((id) => insert(id, id, { max: 2 })));

    expect(made.filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'workflow_limit' } },
      { reason: { code: 'workflow_limit' } },
    ]);
    expect((await store.list(user, all)).total).toBe(2);
  });

  it('cannot share a name for the same user', async () => {
    newUser();
    await insert('a', 'same');
    await expect(insert('b', 'same')).rejects.toMatchObject({ code: 'workflow_exists' });
    newUser();
    await insert('a', 'same');
  });

  it('can be changed once from each version', async () => {
    newUser();
    await insert('a');
    const id = `${user.user}-a`;
    const change = () =>
      store.change(user, id, { from: 1, columns: { version: 2 }, version: version(id, 2), keep: 50 });
    const changed = await Promise.all([change(), change(), change()]);

    expect(changed.filter(Boolean)).toHaveLength(1);
    expect((await store.get(user, id))?.version.version).toBe(2);
    expect((await store.get(user, id, 1))?.version.version).toBe(1);
    expect(await store.get(user, id, 3)).toBeUndefined();
  });

  it('keep the given number of versions', async () => {
    newUser();
    await insert('a');
    const id = `${user.user}-a`;
    for (const next of [2, 3, 4]) {
      const columns = { version: next };
      await store.change(user, id, { from: next - 1, columns, version: version(id, next), keep: 2 });
    }

    expect((await store.versions(user, id)).map((each) => each.version)).toEqual([4, 3]);
  });

  it('that are exposed are listed with the parameters of the newest version, the oldest workflow first', async () => {
    newUser();
    for (const id of ['b', 'a', 'c']) await insert(id);
    for (const id of ['b', 'a']) {
      const columns = { exposed: 1, version: 2 };
      const id2 = `${user.user}-${id}`;
      await store.change(user, id2, { from: 1, columns, version: version(id2, 2), keep: 50 });
    }

    expect(await store.exposed(user, { max: 5 })).toMatchObject([
      { name: 'a', parameters: '[2]' },
      { name: 'b', parameters: '[2]' },
    ]);
    expect(await store.exposed(user, { max: 1 })).toHaveLength(1);
  });

  it('count each change of their user, and of no other user', async () => {
    newUser();
    const other = { user: 'somebody else' };
    const marks = [await store.mark(user)];
    await insert('a');
    marks.push(await store.mark(user));
    const id = `${user.user}-a`;
    await store.change(user, id, { from: 1, columns: { exposed: 1 }, version: null, keep: 50 });
    marks.push(await store.mark(user));
    await store.delete(user, id);
    marks.push(await store.mark(user));

    expect(new Set(marks).size).toBe(4);
    expect(await store.mark(other)).toBe(0);
    expect(await store.versions(user, id)).toEqual([]);
  });

  it('read what nodes take and what tasks cost with statements that this database understands', async () => {
    const inputs = new NodeInputStore(database, () => 0);
    await inputs.learn({ Grow: { width: { type: 'integer' } } });
    await new NodeInputStore(database, () => 0).learn({ Grow: { width: { type: 'number' } } });
    const costs = new TaskCostStore(database);

    expect(await inputs.of(['Grow'])).toEqual(new Map([['Grow', { width: { type: 'number' } }]]));
    expect(await costs.completedLike('no-such-user', { fingerprint: 'x', limit: 5 })).toEqual([]);
    expect(await costs.ofRun('no-such-user', 'r1')).toEqual([]);
  });
}

function workflow(owner: string, { id, name }: { id: string; name: string }): StoredWorkflow {
  const times = { createdAt: at, updatedAt: at };
  const row = { id, owner, name, description: '', exposed: 0, version: 1, coverFileId: null, ...times };
  return { row, version: version(id, 1) };
}

function version(workflowId: string, number: number): StoredWorkflow['version'] {
  return { workflowId, version: number, graph: '{}', parameters: `[${number}]`, notes: '', createdAt: at };
}
