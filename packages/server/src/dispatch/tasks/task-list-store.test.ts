import { testPostgres } from '@switchyard/dev-env/postgres';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type NotedStatements, noteStatements } from '../../../testing/noted-statements.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { type TaskFilter, TaskListStore } from './task-list-store.ts';

const postgres = testPostgres('tasks of an instance on Postgres');

describe('tasks of an instance on SQLite', () => listBehaves(async () => ({ backend: 'memory' })));
describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  listBehaves(async () => ({ backend: 'postgres', url: await postgres.createDatabase(), poolSize: 4 })),
);

const taskCount = 24_000;
const ada = { user: 'user-1' };
const admin = { admin: 'root' };

/** One task in a hundred failed; every instance has tasks of every user. */
const numbers = {
  sqlite: sql`(with recursive n(i) as (select 0 union all select i + 1 from n where i < ${sql.lit(taskCount - 1)}) select i from n)`,
  postgres: sql`(select i from generate_series(0, ${sql.lit(taskCount - 1)}) as series(i))`,
};

function listBehaves(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let store: TaskListStore;
  let noted: NotedStatements<DispatchTables>;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    const tables = opened.withTables<DispatchTables>();
    await tables.write(async (trx) => {
      await sql`insert into tasks (id, owner, status, phase, progress, priority, tags, "instanceId", attempt, "cancelRequested",
          fingerprint, "retryPolicy", "maxAttempts", warnings, "createdAt", "updatedAt")
        select 'task-' || (100000 + i), 'user-' || (i % 12), case when i % 100 = 7 then 'failed' else 'completed' end, 'done', 100, 0,
          '[]', 'box-' || (i % 5), 1, 0, 'f', 'on_lost', 3, '[]', '2030', '2030'
        from ${numbers[opened.dialect]} as numbers`.execute(trx);
    });
    // A database does this by itself in time; the plan for a table that it takes to be empty says nothing.
    if (opened.dialect === 'postgres')
      await opened.exclusive(async (trx) => void (await sql`analyze tasks`.execute(trx)));
    noted = noteStatements(tables);
    store = new TaskListStore(noted.database);
  });
  afterAll(() => opened.close());

  /** Returns the database's plans for the statements of a list. */
  async function plansOf(owner: Owner, filter: TaskFilter): Promise<string[]> {
    await store.page(owner, { ...filter, order: 'desc', limit: 50, offset: 0 });
    await store.total(owner, filter);
    return noted.plans(opened.dialect === 'sqlite' ? 'explain query plan' : 'explain (analyze)');
  }

  it.each<[string, Owner, TaskFilter, string]>([
    ['of a user', ada, { instanceId: 'box-3' }, 'tasks_owner_instance'],
    ['of a user, by status', ada, { instanceId: 'box-3', status: 'failed' }, 'tasks_owner_instance'],
    [
      'of a user that an administrator names',
      admin,
      { instanceId: 'box-3', owner: 'user-2' },
      'tasks_owner_instance',
    ],
    ['of all users', admin, { instanceId: 'box-3' }, 'tasks_instance_status'],
    ['of all users, by status', admin, { instanceId: 'box-3', status: 'running' }, 'tasks_instance_status'],
  ])('%s are found without reading others on the way', async (_name, owner, filter, index) => {
    const plans = await plansOf(owner, filter);
    expect(plans.length).toBeGreaterThanOrEqual(2);
    if (opened.dialect === 'postgres') {
      // It knows how common each value is and chooses by that; without the indexes it reads 4,800.
      const skipped = plans.join().matchAll(/Rows Removed by [^:]*: (\d+)/g);
      expect([...skipped].reduce((sum, [, rows]) => sum + Number(rows), 0)).toBeLessThan(1_000);
      return;
    }
    for (const plan of plans) expect(plan).not.toContain('SCAN tasks');
    const used = new Set(
      [...plans.join().matchAll(/USING (?:COVERING )?INDEX (\w+)/g)].map(([, name]) => name),
    );
    // The rows of a page that comes from several ranges are read by their ids.
    used.delete('sqlite_autoindex_tasks_1');
    expect([...used]).toEqual([index]);
  });

  it.each<[string, Owner, TaskFilter]>([
    ['of a user', ada, { instanceId: 'box-3' }],
    ['of a user on another instance', ada, { instanceId: 'box-1', status: 'failed' }],
    ['of all users', admin, { instanceId: 'box-0' }],
    ['of a user without tasks', { user: 'user-99' }, { instanceId: 'box-0' }],
  ])('%s come in the order of their ids, page by page, and are counted', async (_name, owner, filter) => {
    const wanted = Array.from({ length: taskCount }, (_, at) => at).filter(
      (at) =>
        `box-${at % 5}` === filter.instanceId &&
        (!('user' in owner) || `user-${at % 12}` === owner.user) &&
        (filter.status === undefined || (at % 100 === 7) === (filter.status === 'failed')),
    );
    const ids = wanted.map((at) => `task-${100_000 + at}`);
    expect(await store.total(owner, filter)).toEqual({ total: ids.length, isMinimum: false });
    for (const order of ['asc', 'desc'] as const) {
      const sorted = order === 'asc' ? ids : [...ids].reverse();
      for (const offset of [0, 7, ids.length]) {
        const rows = await store.page(owner, { ...filter, order, limit: 20, offset });
        expect(rows.map(({ id }) => id)).toEqual(sorted.slice(offset, offset + 20));
      }
    }
  });

  it('tells cancelled tasks from other failed ones, to their owner alone', async () => {
    const tables = opened.withTables<DispatchTables>();
    const errors = [
      ['task-100007', 'cancelled'],
      ['task-100107', 'lost'],
      ['task-100207', 'cancelled'],
    ] as const;
    await tables.write(async (trx) => {
      for (const [id, code] of errors)
        await trx
          .updateTable('tasks')
          .set({ error: JSON.stringify({ code, message: 'It ended.' }) })
          .where('id', '=', id)
          .execute();
    });
    const cancelled = { status: 'failed', cancelled: true } as const;
    const idsOf = async (owner: Owner) =>
      (await store.page(owner, { ...cancelled, order: 'asc', limit: 20, offset: 0 })).map(({ id }) => id);
    expect(await idsOf(admin)).toEqual(['task-100007', 'task-100207']);
    expect(await idsOf({ user: 'user-7' })).toEqual(['task-100007']);
    expect(await idsOf({ user: 'user-11' })).toEqual([]);
    expect(await store.total(admin, cancelled)).toEqual({ total: 2, isMinimum: false });
    // The rows of this test are in no counter, so a filter makes the store count them.
    expect(await new TaskListStore(tables).countByStatus(admin, { sinceMs: 0 })).toMatchObject({
      failed: 240,
      cancelled: 2,
      cancelledIsMinimum: false,
    });
  });

  it('lists the tasks of a thread to their owner alone', async () => {
    const of = (threadId: string) => JSON.stringify({ threadId, runId: 'r', toolCallId: 'thread-2' });
    const rows = [
      ['task-100000', of('thread-1')],
      ['task-100012', of('thread-2')],
      ['task-100001', of('thread-1')],
    ] as const;
    const tables = opened.withTables<DispatchTables>();
    await tables.write(async (trx) => {
      for (const [id, conversation] of rows)
        await trx.updateTable('tasks').set({ conversation }).where('id', '=', id).execute();
    });
    const page = { order: 'asc', limit: 20, offset: 0, threadId: 'thread-1' } as const;
    const idsOf = async (owner: Owner, threadId: string) =>
      (await store.page(owner, { ...page, threadId })).map(({ id }) => id);
    expect(await idsOf({ user: 'user-0' }, 'thread-1')).toEqual(['task-100000']);
    expect(await idsOf({ user: 'user-0' }, 'thread-2')).toEqual(['task-100012']);
    expect(await idsOf({ user: 'user-5' }, 'thread-1')).toEqual([]);
    expect(await idsOf(admin, 'thread-1')).toEqual(['task-100000', 'task-100001']);
    expect(await store.total(admin, { threadId: 'thread-1' })).toEqual({ total: 2, isMinimum: false });
  });
}
