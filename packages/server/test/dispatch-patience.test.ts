import { afterEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';

/** If the tested setting had no effect, the test would never end. */
const never = 3_600_000;

let pool: DispatchPool;

afterEach(() => pool.close());

const inPhase = (taskId: string, phase: string) =>
  pool.user.until(
    () => pool.user.task(taskId),
    (task) => task.phase === phase,
  );

describe('patience', () => {
  it('of a server decides when the execution on a worker that is gone counts as lost', async () => {
    pool = await startPool({
      workers: [held, held],
      executionTimeouts: { ...watchful, lostMs: never, refusedMs: never },
    });
    await pool.admin.useWorkers(
      pool.workers.map(({ port }) => port),
      { patience: { lostSeconds: 1 } },
    );
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const { instanceId } = await inPhase(id, 'executing');
    const dying = pool.workers.findIndex(({ port }) => instanceId === `127.0.0.1:${port}`);
    for (const worker of pool.workers) worker.behaviour = { ...worker.behaviour, runMs: 0 };
    await Promise.all(pool.workers.splice(dying, 1).map((worker) => worker.close()));
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [{ outcome: 'lost' }, { outcome: 'completed' }],
    });
  });

  it('of a task counts before that of its server', async () => {
    pool = await startPool({ workers: [{ ...held, trouble: 'stubborn' }], executionTimeouts: watchful });
    await pool.admin.useWorkers(
      pool.workers.map(({ port }) => port),
      { patience: { cancelSeconds: 3_600 } },
    );
    const { id } = await pool.user.submit({ workflow: anyWorkflow, patience: { cancelSeconds: 1 } });
    await inPhase(id, 'executing');
    await pool.user.call('DELETE', `/api/tasks/${id}`);
    expect(await pool.user.ended(id)).toMatchObject({
      error: { code: 'cancelled' },
      patience: { cancelSeconds: 1 },
    });
  });

  it('is copied with the task, and refused when it is invalid', async () => {
    pool = await startPool();
    const patience = { lostSeconds: 90, refusedSeconds: 60, silentSeconds: 1_800, cancelSeconds: 40 };
    const { id } = await pool.user.submit({ workflow: anyWorkflow, patience });
    await pool.user.ended(id);
    expect((await pool.user.call('POST', `/api/tasks/${id}/retry`)).data).toMatchObject({ patience });
    for (const wrong of [{ lostSeconds: 0 }, { silentSeconds: 86_401 }, { lostMinutes: 1 }]) {
      const { status, body } = await pool.user.request('POST', '/api/tasks', {
        body: { workflow: anyWorkflow, patience: wrong },
      });
      expect([status, body.details[0].path]).toEqual([422, `body.patience.${Object.keys(wrong)[0]}`]);
    }
  });
});

it('a task that waits on the worker behind another client is accepted, and is executing when its turn has come', async () => {
  pool = await startPool({ workers: [{ ...held, hasRival: true }], executionTimeouts: watchful });
  const { id } = await pool.user.submit({ workflow: anyWorkflow });
  expect(await inPhase(id, 'accepted')).toMatchObject({ status: 'running', node: null });
  // The worker is asked several times in the meantime.
  await pool.user.until(
    async () => pool.workers[0]?.stats.asked ?? 0,
    (asked) => asked > 3,
  );
  expect(await pool.user.task(id)).toMatchObject({ status: 'running', phase: 'accepted' });
  pool.workers[0]?.finishRun();
  expect(await inPhase(id, 'executing')).toMatchObject({ status: 'running' });
  pool.workers[0]?.finishRun();
  expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
});
