import { afterEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

let pool: DispatchPool;

afterEach(() => pool.close());

describe('retrying a task', () => {
  it('submits a copy with everything that the first request contained', async () => {
    pool = await startPool();
    const file = await pool.user.upload('a.png', Buffer.from('picture'));
    const asked = {
      workflow: { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: 'x.png' } } },
      params: { '3.image': { $file: file.fileId } },
      name: 'Portrait',
      note: 'The second try.\nWarmer light.',
      priority: 7,
      tags: ['a', 'b'],
      timeoutSeconds: 90,
      retry: 'on_error',
      maxAttempts: 2,
    };
    const first = await pool.user.submit(asked);
    await pool.user.ended(first.id);
    const { status, body } = await pool.user.request('POST', `/api/tasks/${first.id}/retry`);
    expect(status).toBe(200);
    expect(body.data.id).not.toBe(first.id);
    expect(body.data).toMatchObject({ ...asked, status: 'pending', attempt: 0 });
    expect(await pool.user.ended(body.data.id)).toMatchObject({ status: 'completed' });
    expect(await pool.user.task(first.id)).toMatchObject({ status: 'completed', attempt: 1 });
  });

  it('is refused with a reason when a file that it needs is gone', async () => {
    pool = await startPool();
    const file = await pool.user.upload('a.png', Buffer.from('picture'));
    const task = await pool.user.submit({
      workflow: anyWorkflow,
      params: { '2.filename_prefix': { $file: file.fileId } },
    });
    await pool.user.ended(task.id);
    expect((await pool.user.request('DELETE', `/api/files/${file.fileId}`)).status).toBe(200);
    const { status, body } = await pool.user.request('POST', `/api/tasks/${task.id}/retry`);
    expect({ status, error: body.error }).toEqual({ status: 422, error: 'invalid_param' });
    expect(body.message).toContain(file.fileId);
  });
});

describe('waiting for a task', () => {
  const wait = (taskId: string, seconds: number | string) =>
    pool.user.request('GET', `/api/tasks/${taskId}?wait=${seconds}`);

  it('returns when it ends', async () => {
    pool = await startPool({ workers: [{ runMs: 200 }] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const answers = await Promise.all(Array.from({ length: 10 }, () => wait(id, 20)));
    for (const { body } of answers)
      expect(body.data).toMatchObject({ id, status: 'completed', progress: 100 });
  });

  it('returns at once when it has ended, or when the request does not wait', async () => {
    pool = await startPool({ workers: [] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    expect((await wait(id, 0)).body.data.status).toBe('pending');
    await pool.user.call('DELETE', `/api/tasks/${id}`);
    expect((await wait(id, 60)).body.data.status).toBe('failed');
  });

  it('returns the present task when the time is over', async () => {
    pool = await startPool({ workers: [] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    expect((await wait(id, 1)).body.data).toMatchObject({ status: 'pending', position: 1 });
  });

  it('is answered with 401 when the token of the request ends meanwhile', async () => {
    pool = await startPool({ workers: [] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const answer = wait(id, 60);
    const metrics = async () => (await fetch(new URL('/metrics', pool.gateway.url))).text();
    await expect.poll(metrics).toContain('switchyard_open_streams{kind="held_request"} 1');
    await pool.user.request('POST', '/api/v1/auth/logout');
    expect(await answer).toMatchObject({ status: 401, body: { error: 'token_invalid' } });
  });

  it('lasts at most a minute', async () => {
    pool = await startPool({ workers: [] });
    for (const seconds of [61, -1, 1.5, 'long']) {
      expect((await wait('0190a0a0-0000-7000-8000-000000000000', seconds)).status).toBe(422);
    }
  });

  it('ends with a clear answer when the gateway stops', async () => {
    pool = await startPool({ workers: [] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const waiting = wait(id, 60);
    await pool.user.until(
      async () => pool.gateway.context.streams.count('held_request'),
      (count) => count === 1,
    );
    await pool.gateway.stop();
    expect((await waiting).body.data).toMatchObject({ id, status: 'pending' });
  });
});

describe('a time limit', () => {
  it('stops the task, which then has failed, and leaves the worker in use', async () => {
    pool = await startPool({ workers: [{ runMs: 60_000 }] });
    const { id } = await pool.user.submit({ workflow: anyWorkflow, timeoutSeconds: 1 });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'failed',
      error: {
        code: 'timed_out',
        message: 'The run took longer than 1 s.',
        sentences: [{ code: 'run_too_long', values: { seconds: '1' } }],
      },
      attempts: [{ outcome: 'timed_out', error: { sentences: [{ code: 'run_too_long' }] } }],
    });
    const [worker] = pool.workers;
    expect(worker?.stats).toMatchObject({ accepted: 1, finished: 1 });
    if (worker) worker.behaviour = { ...worker.behaviour, runMs: 0 };
    const next = await pool.user.submit({ workflow: anyWorkflow, timeoutSeconds: 1 });
    expect(await pool.user.ended(next.id)).toMatchObject({ status: 'completed' });
  });

  it('takes a worker that does not stop out of use, and tries the task again only on request', async () => {
    pool = await startPool({
      workers: [{ runMs: 60_000, trouble: 'stubborn' }],
      executionTimeouts: { cancelMs: 300, pollUnheardMs: 50 },
    });
    const { id } = await pool.user.submit({ workflow: anyWorkflow, timeoutSeconds: 1 });
    expect(await pool.user.ended(id)).toMatchObject({ error: { code: 'timed_out' }, attempt: 1 });
    expect(await pool.user.instance(pool.workers[0]?.port ?? 0)).toMatchObject({
      state: 'suspect',
      lastError: 'The run took longer than 1 s.',
    });
  });
});
