import { patientPostgres, testPostgres } from '@switchyard/dev-env/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../platform/database/database.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { type DatabaseOptions, openDatabase } from '../../platform/database/open.ts';
import { dispatchMigrations } from '../migrations.ts';
import type { DispatchTables } from '../tables.ts';
import { TaskUsageStore } from './task-usage-store.ts';

const postgres = testPostgres('usage of the pool on Postgres');
const range = { fromIso: '2026-03-10T00:00:00.000Z', toIso: '2026-03-11T00:00:00.000Z' };

describe('usage of the pool on SQLite', () => usageBehaves(async () => ({ backend: 'memory' })));

describe.skipIf(postgres.isSkipped)(postgres.title, () =>
  usageBehaves(async () => patientPostgres(await postgres.createDatabase(), 2)),
);

function usageBehaves(where: () => Promise<DatabaseOptions>): void {
  let opened: Database<unknown>;
  let store: TaskUsageStore;

  beforeAll(async () => {
    opened = await openDatabase(await where());
    await migrate(opened, 'dispatch', dispatchMigrations);
    store = new TaskUsageStore(opened.withTables<DispatchTables>());
    await add('t1', {
      name: 'invert',
      startedAt: '2026-03-10T10:00:00.000Z',
      finishedAt: '2026-03-10T10:00:02.500Z',
    });
    await add('t2', {
      name: 'invert',
      status: 'failed',
      startedAt: '2026-03-09T23:59:59.000Z',
      finishedAt: '2026-03-10T00:00:00.000Z',
    });
    await add('t3', {
      name: null,
      startedAt: '2026-03-10T10:00:00.000Z',
      finishedAt: '2026-03-10T10:00:10.125Z',
    });
    await add('t4', {
      name: 'never begun',
      status: 'failed',
      startedAt: null,
      finishedAt: '2026-03-10T11:00:00.000Z',
    });
    await add('t5', { name: 'invert', finishedAt: '2026-03-11T00:00:00.000Z' });
    await add('t6', { name: 'by hand', conversation: null });
    await add('t7', { name: 'invert', finishedAt: null, status: 'running' });
    await add('t8', { name: 'of bob', owner: 'bob' });
  });
  afterAll(() => opened.close());

  async function add(id: string, columns: Partial<DispatchTables['tasks']>): Promise<void> {
    const row = {
      id,
      owner: 'ada',
      name: null,
      status: 'completed' as const,
      phase: 'ended' as const,
      progress: 100,
      priority: 0,
      tags: '[]',
      pool: null,
      pinnedInstanceId: null,
      instanceId: null,
      attempt: 1,
      claimToken: null,
      cancelRequested: 0,
      node: null,
      fingerprint: 'f.',
      retryPolicy: 'never' as const,
      maxAttempts: 1,
      timeoutSeconds: null,
      patience: null,
      error: null,
      result: null,
      warnings: '[]',
      webhook: null,
      requestId: null,
      conversation: '{"threadId":"t","runId":"r","toolCallId":"c"}',
      createdAt: '2026-03-10T09:00:00.000Z',
      updatedAt: '2026-03-10T09:00:00.000Z',
      startedAt: '2026-03-10T12:00:00.000Z',
      finishedAt: '2026-03-10T12:00:01.000Z',
      ...columns,
    };
    await opened.withTables<DispatchTables>().write((trx) => trx.insertInto('tasks').values(row).execute());
  }

  it("sums up by name the tasks that a user's agents asked for and that ended in the range", async () => {
    const named = await store.byName({ userId: 'ada', ...range }, { limit: 10 });
    expect(named.map((each) => ({ ...each, seconds: Math.round(each.seconds * 1000) / 1000 }))).toEqual([
      { name: null, tasks: 1, failed: 0, seconds: 10.125 },
      { name: 'invert', tasks: 2, failed: 1, seconds: 3.5 },
      { name: 'never begun', tasks: 1, failed: 1, seconds: 0 },
    ]);
    expect(await store.byName({ userId: 'ada', ...range }, { limit: 1 })).toHaveLength(1);
  });

  it('sums up by day on the clock of the reader, by user and by agent', async () => {
    const whole = { userId: null, fromIso: '2026-03-10T00:00:00.000Z', toIso: '2026-03-12T00:00:00.000Z' };
    const day = Date.UTC(2026, 2, 10) / 86_400_000;
    const daysOf = async (offset: number) =>
      (await store.byDay(whole, offset)).map((each) => [Number(each.day) - day, each.tasks]).sort();
    // t2 ends with the first millisecond of the tenth, t5 with that of the eleventh.
    expect(await daysOf(0)).toEqual([
      [0, 5],
      [1, 1],
    ]);
    expect(await daysOf(-60)).toEqual([
      [-1, 1],
      [0, 5],
    ]);
    const owners = await store.byOwner(whole);
    expect(owners.map(({ owner, tasks }) => [owner, tasks]).sort()).toEqual([
      ['ada', 5],
      ['bob', 1],
    ]);
    await add('t9', {
      conversation: '{"threadId":"t","runId":"r","toolCallId":"c","agent":"painter"}',
      finishedAt: '2026-03-20T12:00:01.000Z',
      startedAt: '2026-03-20T12:00:00.000Z',
    });
    const later = { ...whole, toIso: '2026-03-21T00:00:00.000Z' };
    const agents = await store.byAgent(later);
    expect(agents.map(({ agent, tasks }) => [agent, tasks]).sort()).toEqual([
      [null, 6],
      ['painter', 1],
    ]);
  });

  it('has totals for one user and for all users', async () => {
    const own = await store.total({ userId: 'ada', ...range });
    expect(own).toMatchObject({ tasks: 4, failed: 2, seconds: expect.closeTo(13.625, 3) });
    expect(await store.total({ userId: null, ...range })).toMatchObject({ tasks: 5 });
    expect(await store.total({ userId: 'no-such-user', ...range })).toEqual({
      tasks: 0,
      failed: 0,
      seconds: 0,
    });
  });
}
