import { afterEach, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

let pool: DispatchPool;

afterEach(() => pool.close());

it('a single task of one user does not wait behind a thousand of another', async () => {
  pool = await startPool({ workers: [{ ...held, keepsArrivals: true }] });
  const [worker] = pool.workers;
  const crowd = await DispatchCaller.register(pool.gateway.url, 'crowd@example.com');
  for (let sent = 0; sent < 1_000; sent += 20) {
    await Promise.all(Array.from({ length: 20 }, () => crowd.submit({ workflow: anyWorkflow })));
  }
  const { id, position } = await pool.user.submit({ workflow: anyWorkflow });
  expect(position).toBeLessThanOrEqual(2);
  if (worker) worker.behaviour = { ...worker.behaviour, runMs: 0 };
  worker?.finishRun();
  const { attempts } = await pool.user.ended(id);
  expect(Object.keys(worker?.stats.arrivals ?? {}).indexOf(attempts[0].promptId)).toBeLessThanOrEqual(2);
});

it('a queue that is full for one user still takes the tasks of another', async () => {
  pool = await startPool({ workers: [], config: { dispatch: { max_queued_per_user: 5, max_queued: 8 } } });
  const crowd = await DispatchCaller.register(pool.gateway.url, 'crowd@example.com');
  for (let sent = 0; sent < 5; sent += 1) await crowd.submit({ workflow: anyWorkflow });
  const refused = await crowd.request('POST', '/api/tasks', { body: { workflow: anyWorkflow } });
  expect(refused).toMatchObject({ status: 429, body: { code: 429, error: 'queue_full', data: null } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(refused.body.message).toContain('5');
  const { data: saved } = await crowd.call('POST', '/api/workflows', {
    name: 'One more',
    workflow: anyWorkflow,
  });
  const fullBefore = async () =>
    (await crowd.call('POST', `/api/workflows/${saved.id}/outlook`, {})).data.queueFull;
  expect(await fullBefore()).toBe('user');
  for (let sent = 0; sent < 3; sent += 1) await pool.user.submit({ workflow: anyWorkflow });
  const full = await pool.user.request('POST', '/api/tasks', { body: { workflow: anyWorkflow } });
  expect(full).toMatchObject({ status: 429, body: { error: 'queue_full' } });
  expect(await fullBefore()).toBe('all');
  expect((await crowd.call('GET', '/api/tasks')).data.total).toBe(5);
});

it('the queue keeps its limit when many tasks come at once', async () => {
  pool = await startPool({ workers: [], config: { dispatch: { max_queued_per_user: 5 } } });
  const answers = await Promise.all(
    Array.from({ length: 30 }, () =>
      pool.user.request('POST', '/api/tasks', { body: { workflow: anyWorkflow } }),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
});

it('a higher priority goes first', async () => {
  pool = await startPool({ workers: [held] });
  const [worker] = pool.workers;
  const first = await pool.user.submit({ workflow: anyWorkflow });
  await pool.user.until(
    () => pool.user.task(first.id),
    ({ phase }) => phase === 'executing',
  );
  const low = await pool.user.submit({ workflow: anyWorkflow, priority: -1 });
  const normal = await pool.user.submit({ workflow: anyWorkflow });
  const high = await pool.user.submit({ workflow: anyWorkflow, priority: 10 });
  expect([
    high.position,
    (await pool.user.task(normal.id)).position,
    (await pool.user.task(low.id)).position,
  ]).toEqual([1, 2, 3]);
  if (worker) worker.behaviour = { ...worker.behaviour, runMs: 0 };
  worker?.finishRun();
  const ended = await Promise.all([first, low, normal, high].map(({ id }) => pool.user.ended(id)));
  const [, lowEnd, normalEnd, highEnd] = ended.map(({ finishedAt }) => finishedAt);
  expect([lowEnd, normalEnd, highEnd]).toEqual([highEnd, normalEnd, lowEnd].sort().reverse());
});

it('a pinned task runs only on its instance, a task with a pool on a server with that tag', async () => {
  pool = await startPool({ workers: [{}, {}] });
  const [one, two] = pool.workers.map(({ port }) => port);
  const server = (id: string, port: number | undefined) => ({
    id,
    name: id,
    kind: 'comfyui',
    tags: [id],
    instances: [{ ip: '127.0.0.1', port }],
  });
  await pool.admin.call('PUT', '/api/config', {
    servers: [server('red', one), server('blue', two)],
    healthCheck: { interval: 1 },
  });
  for (let round = 0; round < 3; round += 1) {
    const pinned = await pool.user.submit({ workflow: anyWorkflow, instanceId: `127.0.0.1:${two}` });
    expect((await pool.user.ended(pinned.id)).instanceId).toBe(`127.0.0.1:${two}`);
    const pooled = await pool.user.submit({ workflow: anyWorkflow, pool: 'red' });
    expect((await pool.user.ended(pooled.id)).instanceId).toBe(`127.0.0.1:${one}`);
  }
  const nowhere = await pool.user.request('POST', '/api/tasks', {
    body: { workflow: anyWorkflow, instanceId: '127.0.0.1:1' },
  });
  expect(nowhere).toMatchObject({
    status: 422,
    body: { error: 'validation_failed', details: [{ path: 'body.instanceId' }] },
  });
  const noPool = await pool.user.submit({ workflow: anyWorkflow, pool: 'rde' });
  expect(noPool).toMatchObject({ status: 'pending', warnings: [expect.stringContaining('tag "rde"')] });
  expect((await pool.user.task(noPool.id)).warnings).toEqual(noPool.warnings);
});
