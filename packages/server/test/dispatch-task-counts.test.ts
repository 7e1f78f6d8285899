import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('counts of tasks', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const submit = async (who: DispatchCaller, input: object = {}) =>
    (await who.submit({ workflow: anyWorkflow, ...input })).id as string;
  const counts = async (who: DispatchCaller, query = '') =>
    (await who.call('GET', `/api/tasks/counts?${query}`)).data;

  it('are given by status, for everything and for a filter', async () => {
    pool = await startPool({ workers: [] });
    await submit(pool.user, { tags: ['night'], name: 'Portrait' });
    const gone = await submit(pool.user, { tags: ['night'] });
    await submit(pool.user);
    await pool.user.call('DELETE', `/api/tasks/${gone}`);
    const none = { running: 0, completed: 0, countIsMinimum: false };
    expect(await counts(pool.user)).toMatchObject({ ...none, pending: 2, failed: 1 });
    expect(await counts(pool.user, 'tag=night')).toMatchObject({ ...none, pending: 1, failed: 1 });
    expect(await counts(pool.user, 'q=portrait')).toMatchObject({ ...none, pending: 1, failed: 0 });
  });

  it('say how many of the failed ones were cancelled', async () => {
    pool = await startPool();
    for (const worker of pool.workers)
      worker.fails = () => ({ node_id: '1', exception_type: 'ValueError', exception_message: 'Too dark.' });
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    await pool.user.ended(await submit(pool.user, { tags: ['night'] }));
    await pool.user.call('POST', '/api/queue/pause', { scope: 'user' });
    for (const tags of [['night'], ['night'], []])
      await pool.user.call('DELETE', `/api/tasks/${await submit(pool.user, { tags })}`);
    const told = { failed: 4, cancelled: 3, cancelledIsMinimum: false };
    expect(await counts(pool.user)).toMatchObject(told);
    expect(await counts(pool.user, 'tag=night')).toMatchObject({ ...told, failed: 3, cancelled: 2 });
    expect(await counts(pool.admin)).toMatchObject(told);
    expect(await counts(other)).toMatchObject({ failed: 0, cancelled: 0 });
  });

  it('are of their own tasks for a user, and of all tasks for an administrator', async () => {
    pool = await startPool({ workers: [] });
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    await submit(pool.user);
    const theirs = await other.task(await submit(other));
    expect(await counts(pool.user)).toMatchObject({ pending: 1 });
    expect(await counts(pool.admin)).toMatchObject({ pending: 2 });
    expect(await counts(pool.admin, `owner=${theirs.owner}`)).toMatchObject({ pending: 1 });
    const asked = await pool.user.request('GET', `/api/tasks/counts?owner=${theirs.owner}`);
    expect(asked.status).toBe(403);
  });

  it('are refused with a field that the filter does not have', async () => {
    pool = await startPool({ workers: [] });
    const refused = await pool.user.request('GET', '/api/tasks/counts?status=failed');
    expect(refused).toMatchObject({ status: 422, body: { error: 'validation_failed' } });
  });
});
