import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('the task list', () => {
  let pool: DispatchPool;
  const ids: string[] = [];

  beforeAll(async () => {
    pool = await startPool({ workers: [] });
    for (let index = 0; index < 7; index += 1) {
      const task = await pool.user.submit({
        workflow: anyWorkflow,
        name: `Portrait ${index}`,
        tags: index % 2 === 0 ? ['even', 'Nightly'] : ['odd'],
      });
      ids.push(task.id);
    }
    await pool.user.call('DELETE', `/api/tasks/${ids[0]}`);
    await pool.admin.submit({ workflow: anyWorkflow, name: 'Of the administrator' });
  });

  afterAll(() => pool.close());

  const list = async (query: string) => (await pool.user.call('GET', `/api/tasks${query}`)).data;
  const listedIds = async (query: string) => (await list(query)).items.map(({ id }: { id: string }) => id);

  it('shows the newest first, at most 50 unless more are requested, and counts all that match the filter', async () => {
    const { total, items, totalIsMinimum } = await list('');
    expect(items.map(({ id }: { id: string }) => id)).toEqual([...ids].reverse());
    expect({ total, totalIsMinimum }).toEqual({ total: 7, totalIsMinimum: undefined });
    const page = await list('?limit=2&offset=1');
    expect(page.total).toBe(7);
    expect(page.items.map(({ id }: { id: string }) => id)).toEqual([ids[5], ids[4]]);
    expect((await list('?offset=7')).items).toEqual([]);
  });

  it('can be reversed', async () => {
    expect(await listedIds('?order=asc')).toEqual(ids);
  });

  it('filters by status', async () => {
    expect(await list('?status=failed')).toMatchObject({ total: 1, items: [{ id: ids[0] }] });
    expect((await list('?status=pending')).total).toBe(6);
    expect(await list('?status=running')).toEqual({ total: 0, items: [] });
  });

  it('finds cancelled tasks among the failed ones, and alone', async () => {
    expect(await list('?status=cancelled')).toMatchObject({ total: 1, items: [{ id: ids[0] }] });
    expect(await listedIds('?status=cancelled&tag=even')).toEqual([ids[0]]);
    expect(await listedIds('?status=cancelled&tag=odd')).toEqual([]);
    expect((await pool.admin.call('GET', '/api/tasks?status=cancelled')).data.total).toBe(1);
  });

  it('filters by a whole tag, exactly as it is written', async () => {
    expect(await listedIds('?tag=odd')).toEqual([ids[5], ids[3], ids[1]]);
    expect(await listedIds('?tag=Nightly')).toHaveLength(4);
    expect(await listedIds('?tag=nightly')).toEqual([]);
    expect(await listedIds('?tag=od')).toEqual([]);
    expect((await list('?tag=odd&status=pending')).total).toBe(3);
  });

  it('finds a part of the name in upper or lower case, and the start of an id', async () => {
    expect(await listedIds('?q=portrait%203')).toEqual([ids[3]]);
    expect(await listedIds(`?q=${ids[2]?.slice(0, 30)}`)).toContain(ids[2]);
    expect(await listedIds(`?q=${ids[2]}`)).toEqual([ids[2]]);
    expect(await listedIds('?q=100%25')).toEqual([]);
    expect(await listedIds('?q=_')).toEqual([]);
  });

  it('filters by the time of creation', async () => {
    const { createdAt } = await pool.user.task(ids[0] ?? '');
    expect(await listedIds(`?since=${createdAt}`)).toHaveLength(7);
    expect(await listedIds(`?until=${createdAt}`)).toEqual([]);
    expect(await listedIds('?since=2100-01-01T00:00:00Z')).toEqual([]);
    expect(await listedIds('?until=2100-01-01T00:00:00%2B02:00')).toHaveLength(7);
  });

  it('filters by instance', async () => {
    expect(await list('?instanceId=127.0.0.1:1')).toEqual({ total: 0, items: [] });
  });

  it('shows administrators all tasks, or those of one owner', async () => {
    const all = (await pool.admin.call('GET', '/api/tasks')).data;
    expect(all.total).toBe(8);
    const [{ owner }] = (await list('?limit=1')).items;
    const ofUser = (await pool.admin.call('GET', `/api/tasks?owner=${owner}&status=pending`)).data;
    expect(ofUser.total).toBe(6);
    expect((await list(`?owner=${owner}`)).total).toBe(7);
  });

  it('refuses users who ask for the tasks of others', async () => {
    expect(await pool.user.request('GET', '/api/tasks?owner=somebody')).toMatchObject({
      status: 403,
      body: { code: 403, error: 'admin_required', data: null },
    });
  });

  it('names every fault of a query', async () => {
    const { status, body } = await pool.user.request(
      'GET',
      '/api/tasks?limit=0&offset=x&status=done&order=up',
    );
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: 422, error: 'validation_failed', data: null });
    expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
    const paths = body.details.map(({ path }: { path: string }) => path);
    expect(paths.sort()).toEqual(['query.limit', 'query.offset', 'query.order', 'query.status']);
    for (const { message } of body.details) expect(message).toMatch(/^Input should be /);
  });

  it.each([
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'offset=-1',
    'offset=99999999999',
    'since=yesterday',
    'until=2030-01-01T23:59:60Z',
    'since=2030-13-01T00:00:00Z',
    'limit=10&limit=20',
    'tag=',
  ])('refuses ?%s', async (query) => {
    expect((await pool.user.request('GET', `/api/tasks?${query}`)).status).toBe(422);
  });

  it('counts what it shows after each change of status', async () => {
    await pool.user.call('DELETE', `/api/tasks/${ids[1]}`);
    expect((await list('?status=failed')).total).toBe(2);
    expect((await list('?status=pending')).total).toBe(5);
    expect((await list('')).total).toBe(7);
  });
});
