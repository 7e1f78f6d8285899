import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';
import { type Message, PushListener } from './support/push-listener.ts';

const cancelled = { status: 'failed', phase: 'ended', error: { code: 'cancelled' }, cancelRequested: true };

describe('cancelling a task', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const cancel = (taskId: string) => pool.user.request('DELETE', `/api/tasks/${taskId}`);
  const inPhase = (taskId: string, phase: string) =>
    pool.user.until(
      () => pool.user.task(taskId),
      (task) => task.phase === phase,
    );

  it('ends it at once while it waits, and a second cancel changes nothing', async () => {
    pool = await startPool({ workers: [] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const first = await cancel(id);
    expect(first).toMatchObject({
      status: 200,
      body: {
        code: 200,
        data: { status: 'failed', phase: 'ended', error: { code: 'cancelled' }, position: null },
      },
    });
    const again = await cancel(id);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(first.body.data);
  });

  it('keeps a waiting task from ever being started', async () => {
    pool = await startPool({ workers: [held] });
    const [worker] = pool.workers;
    const running = await pool.user.submit({ workflow: anyWorkflow });
    const waiting = await pool.user.submit({ workflow: anyWorkflow });
    await inPhase(running.id, 'executing');
    await cancel(waiting.id);
    if (worker) worker.behaviour = { ...worker.behaviour, runMs: 0 };
    worker?.finishRun();
    await pool.user.ended(running.id);
    const after = await pool.user.submit({ workflow: anyWorkflow });
    await pool.user.ended(after.id);
    expect(worker?.stats.accepted).toBe(2);
    expect(await pool.user.task(waiting.id)).toMatchObject({ attempt: 0, attempts: [], instanceId: null });
  });

  it('is only requested while it runs, and ends it when the worker has stopped', async () => {
    pool = await startPool({ workers: [held] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await inPhase(id, 'executing');
    const asked = await cancel(id);
    expect(asked).toMatchObject({ status: 200, body: { data: { id, cancelRequested: true } } });
    expect(await pool.user.ended(id)).toMatchObject({
      ...cancelled,
      attempts: [{ attempt: 1, outcome: 'cancelled' }],
    });
    expect(pool.workers[0]?.stats).toMatchObject({ accepted: 1, finished: 1 });
    expect((await cancel(id)).status).toBe(200);
    const { id: nextId } = await pool.user.submit({ workflow: anyWorkflow });
    await inPhase(nextId, 'executing');
  });

  it('tells the windows of its owner once that it is stopping, and no window that a waiting task is', async () => {
    pool = await startPool({ workers: [held] });
    const windows = await Promise.all(
      [pool.user, pool.admin].map(({ token }) => PushListener.open(pool.gateway.url, token)),
    );
    const stranger = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const foreign = await PushListener.open(pool.gateway.url, stranger.token);
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const waiting = await pool.user.submit({ workflow: anyWorkflow });
    await inPhase(id, 'executing');
    await cancel(waiting.id);
    await Promise.all([cancel(id), cancel(id)]);
    await pool.user.ended(id);
    for (const window of windows) {
      await window.next('task_failed');
      const failed = await window.next('task_failed');
      const stopping = window.all.filter(({ type }) => type === 'task_stopping');
      expect(stopping).toMatchObject([{ data: { taskId: id }, cursor: expect.any(String) }]);
      expect(window.all.indexOf(failed)).toBeGreaterThan(window.all.indexOf(stopping[0] as Message));
    }
    expect(foreign.all.filter(({ type }) => type.startsWith('task_'))).toEqual([]);
    for (const listener of [...windows, foreign]) listener.close();
  });

  it('ends it without the worker when the worker does not stop in time, and takes the worker out of rotation', async () => {
    pool = await startPool({
      workers: [{ ...held, trouble: 'stubborn' }],
      executionTimeouts: { ...watchful, cancelMs: 400 },
    });
    const { id, instanceId } = await pool.user.submit({ workflow: anyWorkflow });
    expect(instanceId).toBeNull();
    await inPhase(id, 'executing');
    await cancel(id);
    expect(await pool.user.ended(id)).toMatchObject(cancelled);
    expect(await pool.user.instance(pool.workers[0]?.port ?? 0)).toMatchObject({
      state: 'suspect',
      alive: true,
      busy: true,
      lastError: 'Its last run did not stop when it was asked to.',
    });
  });

  it('also ends it while its outputs are fetched', async () => {
    pool = await startPool({ workers: [{ outputBytes: 10_000, trouble: 'stuck_output' }] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const collecting = await inPhase(id, 'collecting');
    expect(collecting).toMatchObject({ status: 'running', progress: 99 });
    await cancel(id);
    expect(await pool.user.ended(id)).toMatchObject(cancelled);
    expect((await pool.user.call('GET', '/api/files')).data.total).toBe(0);
  });

  it('also ends it on its way to the worker', async () => {
    pool = await startPool({ workers: [{}], executionTimeouts: watchful });
    const [worker] = pool.workers;
    if (worker) worker.behaviour = { ...worker.behaviour, trouble: 'hang' };
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await inPhase(id, 'dispatching');
    expect((await cancel(id)).body.data).toMatchObject({ status: 'pending', cancelRequested: true });
    if (worker) worker.behaviour = { ...worker.behaviour, trouble: null };
    expect(await pool.user.ended(id)).toMatchObject(cancelled);
    expect(worker?.stats.accepted).toBe(0);
  });

  it('is a conflict once it has ended in another way', async () => {
    pool = await startPool();
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await pool.user.ended(id);
    expect(await cancel(id)).toMatchObject({
      status: 409,
      body: { code: 409, error: 'task_finished', data: null },
    });
  });

  it('of an unknown task is 404', async () => {
    pool = await startPool({ workers: [] });
    expect(await cancel('0190a0a0-0000-7000-8000-000000000000')).toMatchObject({
      status: 404,
      body: { error: 'task_not_found' },
    });
  });
});
