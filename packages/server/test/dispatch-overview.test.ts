import { testPostgres } from '@switchyard/dev-env/postgres';
import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

const postgres = testPostgres('the overview on Postgres');

describe('the overview', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const read = async (who: DispatchCaller) => (await who.call('GET', '/api/overview')).data;
  const submit = async (who: DispatchCaller, input: object = {}) =>
    (await who.submit({ workflow: anyWorkflow, ...input })).id as string;
  const total = (minutes: { completed: number }[]) =>
    minutes.reduce((sum, { completed }) => sum + completed, 0);

  it('shows counts, load and what was made, as it was at one moment', async () => {
    pool = await startPool({ workers: [{}] });
    const done = await submit(pool.user, { name: 'Portrait' });
    await pool.user.ended(done);
    const seen = await read(pool.user);
    expect(seen.counts).toMatchObject({
      totalInstances: 1,
      pendingTasks: 0,
      runningTasks: 0,
      completedTasks: 1,
    });
    expect(seen.minutes).toHaveLength(60);
    expect(total(seen.minutes)).toBe(1);
    expect(seen.instances).toHaveLength(1);
    expect(seen.instances[0].busy).toHaveLength(60);
    expect(seen.instances[0].lastUsedAt).not.toBeNull();
    expect(seen.recent).toMatchObject([{ id: done, name: 'Portrait', status: 'completed' }]);
    expect(seen).toMatchObject({ running: [], lastInLine: null });
  });

  it('shows what runs, and the last task in line', async () => {
    pool = await startPool({ workers: [held] });
    const first = await submit(pool.user);
    await pool.user.until(
      () => pool.user.task(first),
      ({ phase }) => phase === 'executing',
    );
    await submit(pool.user);
    const last = await submit(pool.user);
    const seen = await read(pool.user);
    expect(seen.counts).toMatchObject({ runningTasks: 1, pendingTasks: 2 });
    expect(seen.running).toMatchObject([{ id: first }]);
    expect(seen.lastInLine).toMatchObject({ id: last, position: 2 });
  });

  it('gives a user the numbers of the pool, and no task of another user', async () => {
    pool = await startPool({ workers: [{}] });
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const theirs = await submit(other);
    await other.ended(theirs);
    const mine = await read(pool.user);
    expect(mine.counts).toMatchObject({ completedTasks: 1 });
    expect(mine).toMatchObject({ running: [], recent: [], lastInLine: null });
    expect((await read(other)).recent).toMatchObject([{ id: theirs }]);
    expect((await read(pool.admin)).recent).toMatchObject([{ id: theirs }]);
  });

  it('is refused with a field that it does not have', async () => {
    pool = await startPool({ workers: [] });
    expect((await pool.user.request('GET', '/api/overview?hours=2')).status).toBe(422);
  });
});

describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  it('adds up attempts in the same way', async () => {
    const url = await postgres.createDatabase();
    const pool = await startPool({ workers: [{}], config: { database: { backend: 'postgres', url } } });
    try {
      const { id } = await pool.user.submit({ workflow: anyWorkflow });
      await pool.user.ended(id as string);
      const { data } = await pool.user.call('GET', '/api/overview');
      const completed = data.minutes.map((minute: { completed: number }) => minute.completed);
      expect(completed.reduce((sum: number, count: number) => sum + count, 0)).toBe(1);
      expect(data.instances[0].lastUsedAt).not.toBeNull();
    } finally {
      await pool.close();
    }
  });
});
