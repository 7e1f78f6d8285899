import { afterEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';
import { PushListener } from './support/push-listener.ts';

describe('an instance that is taken out of use', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const port = (index = 0) => pool.workers[index]?.port ?? 0;
  const setEnabled = (enabled: boolean, query = '', index = 0) =>
    pool.admin.request('PUT', `/api/instances/127.0.0.1:${port(index)}${query}`, { body: { enabled } });
  const untilExecuting = (taskId: string) =>
    pool.user.until(
      () => pool.user.task(taskId),
      ({ phase }) => phase === 'executing',
    );
  const holdNoMore = () => {
    for (const worker of pool.workers) worker.behaviour = { ...worker.behaviour, runMs: 0 };
  };
  const finishAll = () => {
    holdNoMore();
    for (const worker of pool.workers) worker.finishRun();
  };

  it('by a drain finishes its running task and gets no further one until it is enabled again', async () => {
    pool = await startPool({ workers: [held] });
    const running = await pool.user.submit({ workflow: anyWorkflow });
    const waiting = await pool.user.submit({ workflow: anyWorkflow });
    await untilExecuting(running.id);
    const answer = await setEnabled(false);
    expect(answer.status).toBe(200);
    expect(answer.body.data).toMatchObject({ enabled: false, draining: true, state: 'draining', busy: true });
    finishAll();
    expect(await pool.user.ended(running.id)).toMatchObject({ status: 'completed', attempt: 1 });
    await pool.user.until(
      () => pool.user.instance(port()),
      ({ state }) => state === 'off',
    );
    expect(await pool.user.task(waiting.id)).toMatchObject({
      status: 'pending',
      phase: 'queued',
      position: 1,
    });
    expect(pool.workers[0]?.stats.accepted).toBe(1);
    expect((await setEnabled(true)).body.data).toMatchObject({ enabled: true, draining: false });
    expect(await pool.user.ended(waiting.id)).toMatchObject({ status: 'completed' });
  });

  it('with force gives its task back, which runs elsewhere and has used up no attempt', async () => {
    pool = await startPool({ workers: [held, held] });
    const task = await pool.user.submit({ workflow: anyWorkflow, retry: 'never' });
    const { instanceId } = await untilExecuting(task.id);
    const index = pool.workers.findIndex((worker) => instanceId === `127.0.0.1:${worker.port}`);
    holdNoMore();
    await setEnabled(false, '?force=true', index);
    const ended = await pool.user.ended(task.id);
    expect(ended).toMatchObject({
      status: 'completed',
      attempt: 2,
      attempts: [{ instanceId, outcome: 'given_back', error: null }, { outcome: 'completed' }],
    });
    expect(ended.instanceId).not.toBe(instanceId);
    expect(new Set(ended.attempts.map(({ promptId }: { promptId: string }) => promptId)).size).toBe(2);
  });

  it('with force and no other instance leaves its task waiting', async () => {
    pool = await startPool({ workers: [held] });
    const task = await pool.user.submit({ workflow: anyWorkflow });
    await untilExecuting(task.id);
    await setEnabled(false, '?force=true');
    const back = await pool.user.until(
      () => pool.user.task(task.id),
      ({ phase }) => phase === 'queued',
    );
    expect(back).toMatchObject({ status: 'pending', instanceId: null, position: 1 });
    expect((await pool.admin.call('GET', '/api/monitor/overview')).data).toMatchObject({
      pendingTasks: 1,
      runningTasks: 0,
      disabledInstances: 1,
    });
  });

  it('with force also gives back a task that its worker does not stop', async () => {
    pool = await startPool({
      workers: [{ ...held, trouble: 'stubborn' }],
      executionTimeouts: { ...watchful, cancelMs: 400 },
    });
    const task = await pool.user.submit({ workflow: anyWorkflow });
    await untilExecuting(task.id);
    await setEnabled(false, '?force=true');
    await pool.user.until(
      () => pool.user.task(task.id),
      ({ phase }) => phase === 'queued',
    );
  });

  it('by leaving the configuration is listed as draining until its task has ended, and is then removed', async () => {
    pool = await startPool({ workers: [held] });
    const listener = await PushListener.open(pool.gateway.url, pool.user.token);
    const running = await pool.user.submit({ workflow: anyWorkflow });
    await untilExecuting(running.id);
    const emptied = await pool.admin.request('PUT', '/api/config', {
      body: { servers: [], healthCheck: { interval: 1 } },
    });
    expect(emptied.status).toBe(200);
    const leaving = { state: 'draining', draining: true, enabled: false, currentTaskId: running.id };
    expect((await pool.user.call('GET', '/api/instances')).data).toEqual([expect.objectContaining(leaving)]);
    expect(await pool.user.instance(port())).toMatchObject(leaving);
    expect((await setEnabled(true)).status).toBe(404);
    const waiting = await pool.user.submit({ workflow: anyWorkflow });
    finishAll();
    expect(await pool.user.ended(running.id)).toMatchObject({ status: 'completed', attempt: 1 });
    const { dispatch } = pool.gateway.context;
    await pool.user.until(
      async () => dispatch?.fleet.views().length,
      (count) => count === 0,
    );
    expect((await pool.user.call('GET', '/api/instances')).data).toEqual([]);
    expect(await pool.user.task(waiting.id)).toMatchObject({ phase: 'queued' });
    expect(pool.workers[0]?.stats.accepted).toBe(1);
    listener.close();
  });

  it('and is put back before its task has ended goes on unchanged', async () => {
    pool = await startPool({ workers: [held] });
    const running = await pool.user.submit({ workflow: anyWorkflow });
    await untilExecuting(running.id);
    await pool.admin.call('PUT', '/api/config', { servers: [], healthCheck: { interval: 1 } });
    const next = await pool.user.submit({ workflow: anyWorkflow });
    await pool.admin.call('PUT', '/api/config', {
      servers: [
        { id: 'test', name: 'Test', kind: 'comfyui', instances: [{ ip: '127.0.0.1', port: port() }] },
      ],
      healthCheck: { interval: 1 },
    });
    finishAll();
    expect(await pool.user.ended(running.id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await pool.user.ended(next.id)).toMatchObject({ status: 'completed' });
    expect(pool.workers[0]?.stats.accepted).toBe(2);
  });

  it('keeps its flag over changes of the configuration that do not name it', async () => {
    pool = await startPool();
    await setEnabled(false);
    await pool.admin.call('PUT', '/api/config', {
      servers: [
        { id: 'renamed', name: 'Renamed', kind: 'comfyui', instances: [{ ip: '127.0.0.1', port: port() }] },
      ],
      healthCheck: { interval: 1 },
    });
    expect(await pool.user.instance(port())).toMatchObject({
      enabled: false,
      serverId: 'renamed',
      serverName: 'Renamed',
    });
    await pool.admin.call('PUT', '/api/config', {
      servers: [
        {
          id: 'renamed',
          name: 'Renamed',
          kind: 'comfyui',
          instances: [{ ip: '127.0.0.1', port: port(), enabled: true }],
        },
      ],
      healthCheck: { interval: 1 },
    });
    expect(await pool.user.instance(port())).toMatchObject({ enabled: true });
  });

  it('is not found under an id that the configuration does not name', async () => {
    pool = await startPool({ workers: [] });
    expect(
      await pool.admin.request('PUT', '/api/instances/127.0.0.1:9', { body: { enabled: false } }),
    ).toMatchObject({ status: 404, body: { code: 404, error: 'instance_not_found' } });
  });

  it('is changed only by a boolean', async () => {
    pool = await startPool();
    for (const body of [{}, { enabled: 'false' }, { enabled: null }, []]) {
      const answer = await pool.admin.request('PUT', `/api/instances/127.0.0.1:${port()}`, { body });
      expect(answer.status).toBe(422);
    }
  });
});
