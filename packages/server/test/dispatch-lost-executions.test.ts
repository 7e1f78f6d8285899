import type { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';

let pool: DispatchPool;

afterEach(() => pool.close());

const onlyWorker = (): FakeWorker => {
  const [worker] = pool.workers;
  if (!worker) throw new Error('The pool has no worker.');
  return worker;
};
const executing = (taskId: string) =>
  pool.user.until(
    () => pool.user.task(taskId),
    ({ phase }) => phase === 'executing',
  );

describe('an execution that another client stops on the worker', () => {
  /** The request of the cancel button on ComfyUI's own page. */
  const cancelInComfyui = async () => {
    const url = `http://127.0.0.1:${onlyWorker().port}/interrupt`;
    expect((await fetch(url, { method: 'POST' })).status).toBe(200);
  };

  it('is lost: the task is queued again and completes', async () => {
    pool = await startPool({ workers: [held], executionTimeouts: watchful });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await executing(id);
    onlyWorker().behaviour = { ...onlyWorker().behaviour, runMs: 0 };
    await cancelInComfyui();
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [{ outcome: 'lost', error: { code: 'interrupted' } }, { outcome: 'completed' }],
    });
    expect(await pool.user.instance(onlyWorker().port)).toMatchObject({ state: 'idle', lastError: null });
  });

  it('fails a task that may start only once, with an explanation', async () => {
    pool = await startPool({ workers: [held], executionTimeouts: watchful });
    const { id } = await pool.user.submit({ workflow: anyWorkflow, retry: 'never' });
    await executing(id);
    await cancelInComfyui();
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'interrupted', message: 'Another client interrupted the execution on the worker.' },
    });
  });
});

describe('an execution whose outputs are all gone', () => {
  it('fails a task with outputs_lost when the task may start only once', async () => {
    pool = await startPool({ workers: [{ outputBytes: 5_000 }] });
    onlyWorker().loseOutputs = true;
    const { id } = await pool.user.submit({ workflow: anyWorkflow, retry: 'never' });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'failed',
      result: null,
      error: { code: 'outputs_lost' },
      attempts: [{ outcome: 'outputs_lost' }],
    });
  });

  it('is repeated otherwise, and completes with its outputs', async () => {
    pool = await startPool({ workers: [{ outputBytes: 5_000 }] });
    onlyWorker().loseOutputs = true;
    const { id } = await pool.user.submit({ workflow: anyWorkflow, maxAttempts: 10 });
    await pool.user.until(
      () => pool.user.task(id),
      ({ attempts }) => attempts[0]?.outcome === 'outputs_lost',
    );
    onlyWorker().loseOutputs = false;
    const ended = await pool.user.ended(id);
    expect(ended).toMatchObject({
      status: 'completed',
      result: { outputs: [{ size: 5_000 }], outputsMissing: 0 },
    });
    expect(ended.attempts.at(-1)).toMatchObject({ outcome: 'completed' });
  });
});

describe('an execution whose history entry is gone', () => {
  it('completes with the outputs that the event socket named, and is not repeated', async () => {
    pool = await startPool({
      workers: [{ outputBytes: 5_000, forgetsRuns: true }],
      executionTimeouts: watchful,
    });
    const { id } = await pool.user.submit({ workflow: anyWorkflow, retry: 'never' });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempt: 1,
      result: { outputs: [{ node: '2', size: 5_000 }], outputsMissing: 0 },
    });
    expect(onlyWorker().stats.accepted).toBe(1);
  });

  it('is lost when the event socket broke in between, since it may have missed some', async () => {
    pool = await startPool({
      workers: [{ ...held, outputBytes: 5_000, forgetsRuns: true }],
      executionTimeouts: watchful,
    });
    const { id } = await pool.user.submit({ workflow: anyWorkflow, retry: 'never' });
    await executing(id);
    onlyWorker().dropSockets();
    await pool.user.until(
      async () => onlyWorker().clientIds,
      (ids) => ids.length === 1,
    );
    onlyWorker().finishRun();
    expect(await pool.user.ended(id)).toMatchObject({ status: 'failed', error: { code: 'lost' } });
  });
});
