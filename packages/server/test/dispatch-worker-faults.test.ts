import type { FakeTrouble } from '@switchyard/dev-env/fake-behaviour';
import { type FakeFleet, startFakeFleet } from '@switchyard/dev-env/fake-fleet';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterEach, describe, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, held, startPool, watchful } from './support/dispatch-pool.ts';
import { PushListener } from './support/push-listener.ts';

// The time until an instance counts as dead is tested with a controlled clock: instance-monitor.test.ts.

/** Each setting ends what its test waits for; a healthy worker stays within all of them. */
const soonLost = { ...watchful, lostMs: 500 };
const soonUnheard = { ...watchful, askMs: 2_000, lostMs: 3_000 };
const soonStuck = { ...watchful, startMs: 400, silenceMs: 400, secondChanceMs: 150 };

describe('a faulty worker', () => {
  let pool: DispatchPool;
  let fleet: FakeFleet | undefined;

  afterEach(async () => {
    await pool.close();
    await fleet?.close();
    fleet = undefined;
  });

  const submit = (more: object = {}) => pool.user.submit({ workflow: anyWorkflow, ...more });
  const inPhase = (taskId: string, phase: string) =>
    pool.user.until(
      () => pool.user.task(taskId),
      (task) => task.phase === phase,
    );
  const instanceUntil = (port: number, isWanted: (instance: { state: string; alive: boolean }) => boolean) =>
    pool.user.until(() => pool.user.instance(port), isWanted);
  const workerOf = ({ instanceId }: { instanceId: string }): FakeWorker => {
    const worker = pool.workers.find(({ port }) => instanceId === `127.0.0.1:${port}`);
    if (!worker) throw new Error(`No worker is ${instanceId}.`);
    return worker;
  };
  const holdNoMore = () => {
    for (const worker of pool.workers) worker.behaviour = { ...worker.behaviour, runMs: 0 };
  };
  const turn = (worker: FakeWorker, trouble: FakeTrouble | null) => {
    worker.behaviour = { ...worker.behaviour, trouble };
  };

  it('killed during an execution: the task runs elsewhere, and the instance shows that nothing answers', async () => {
    pool = await startPool({ workers: [held, held], executionTimeouts: soonLost });
    const { id } = await submit();
    const dying = workerOf(await inPhase(id, 'executing'));
    holdNoMore();
    await dying.close();
    pool.workers.splice(pool.workers.indexOf(dying), 1);
    const [, ended] = await Promise.all([
      instanceUntil(dying.port, ({ alive }) => !alive),
      pool.user.ended(id),
    ]);
    expect(ended).toMatchObject({
      status: 'completed',
      attempt: 2,
      attempts: [{ outcome: 'lost', error: { code: 'lost' } }, { outcome: 'completed' }],
    });
    expect(await pool.user.instance(dying.port)).toMatchObject({
      state: 'unreachable',
      alive: false,
      busy: false,
      currentTaskId: null,
      lastError: expect.stringContaining('refused the connection'),
      lastErrorSentences: [{ code: 'call_refused' }],
    });
  });

  it('killed with a task that may start only once: the task has failed, and is not started again', async () => {
    pool = await startPool({ workers: [held, held], executionTimeouts: soonLost });
    const { id } = await submit({ retry: 'never' });
    const dying = workerOf(await inPhase(id, 'executing'));
    await dying.close();
    pool.workers.splice(pool.workers.indexOf(dying), 1);
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'lost' },
      attempts: [{ outcome: 'lost' }],
    });
    expect(pool.workers[0]?.stats.accepted).toBe(0);
  });

  it('restarted during an execution: the task runs again, even on the same worker', async () => {
    pool = await startPool({ workers: [held], executionTimeouts: watchful });
    const [worker] = pool.workers;
    const { id } = await submit();
    await inPhase(id, 'executing');
    holdNoMore();
    worker?.restart();
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [{ outcome: 'lost' }, { outcome: 'completed' }],
    });
    expect(worker?.stats).toMatchObject({ accepted: 2, duplicateIds: 0 });
  });

  it('without its event socket for a moment: the execution goes on and its end is noticed', async () => {
    pool = await startPool({ workers: [held], executionTimeouts: watchful });
    const { id } = await submit();
    await inPhase(id, 'executing');
    pool.workers[0]?.dropSockets();
    pool.workers[0]?.finishRun();
    expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(pool.workers[0]?.stats.accepted).toBe(1);
  });

  it('with a deaf socket: the result is found in its history', async () => {
    pool = await startPool({ workers: [{ runMs: 100 }], executionTimeouts: { pollMs: 200 } });
    const [worker] = pool.workers;
    if (worker) turn(worker, 'deaf');
    const first = await submit();
    expect(await pool.user.ended(first.id)).toMatchObject({ status: 'completed', attempt: 1 });
    const second = await submit();
    expect(await pool.user.ended(second.id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(worker?.stats).toMatchObject({ accepted: 2, maxHeld: 1 });
  });

  it('a zombie: the task runs elsewhere, the instance is out of use until it ends the execution', async () => {
    pool = await startPool({ workers: [{}, {}], executionTimeouts: soonStuck });
    for (const worker of pool.workers) turn(worker, 'zombie');
    const { id } = await submit();
    const zombie = workerOf(
      await pool.user.until(
        () => pool.user.task(id),
        ({ instanceId }) => instanceId !== null,
      ),
    );
    for (const worker of pool.workers) if (worker !== zombie) turn(worker, null);
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [{ outcome: 'stalled', error: { code: 'stalled' } }, { outcome: 'completed' }],
    });
    expect(await pool.user.instance(zombie.port)).toMatchObject({
      state: 'suspect',
      alive: true,
      busy: true,
      lastError: expect.stringMatching(/^The worker answers, but took the run and has not started it/),
    });
    turn(zombie, null);
    zombie.restart();
    await instanceUntil(zombie.port, ({ state }) => state === 'idle');
    expect((await pool.user.instance(zombie.port)).lastError).toBeNull();
  });

  it('stuck during an execution: the task runs elsewhere as well', async () => {
    pool = await startPool({
      workers: [{ ...held, trouble: 'stubborn' }],
      executionTimeouts: soonStuck,
    });
    const { id } = await submit({ retry: 'never' });
    expect(await pool.user.ended(id)).toMatchObject({ status: 'failed', error: { code: 'stalled' } });
    expect(await pool.user.instance(pool.workers[0]?.port ?? 0)).toMatchObject({
      state: 'suspect',
      lastError: expect.stringContaining('has given no sign of the run'),
    });
  });

  it.each([
    ['garbage', 'is not ComfyUI'],
    ['hang', 'did not answer in time'],
    ['trickle', 'did not answer in time'],
    ['password', 'wants a password'],
  ] as const)(
    'answering with %s: others run the tasks, and the instance says what is wrong',
    async (trouble, cause) => {
      pool = await startPool({
        workers: [held, held],
        executionTimeouts: trouble === 'hang' || trouble === 'trickle' ? soonUnheard : soonLost,
      });
      const { id } = await submit();
      const bad = workerOf(await inPhase(id, 'executing'));
      turn(bad, trouble);
      holdNoMore();
      await instanceUntil(bad.port, ({ alive }) => !alive);
      expect(await pool.user.instance(bad.port)).toMatchObject({
        state: 'unreachable',
        lastError: expect.stringContaining(cause),
      });
      expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 2 });
      const others = await Promise.all(Array.from({ length: 5 }, () => submit()));
      for (const other of others) {
        expect(await pool.user.ended(other.id)).toMatchObject({ status: 'completed', attempt: 1 });
      }
      turn(bad, null);
      await instanceUntil(bad.port, ({ state }) => state === 'idle');
    },
  );

  it.each(['garbage', 'hang', 'trickle', 'password'] as const)(
    'answering with %s from the start is never given a task',
    async (trouble) => {
      pool = await startPool({ workers: [{}] });
      const bad = await FakeWorker.start({ trouble });
      pool.workers.push(bad);
      const instances = pool.workers.map(({ port }) => ({ ip: '127.0.0.1', port }));
      await pool.admin.call('PUT', '/api/config', {
        servers: [{ id: 'test', name: 'Test', kind: 'comfyui', instances }],
        healthCheck: { interval: 1, timeout: 0.3 },
      });
      await instanceUntil(bad.port, ({ state }) => state === 'unreachable');
      const tasks = await Promise.all(Array.from({ length: 5 }, () => submit()));
      for (const { id } of tasks)
        expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
      expect(bad.stats.accepted).toBe(0);
      const { data } = await pool.admin.call('POST', `/api/instances/127.0.0.1:${bad.port}/test`);
      expect(data).toMatchObject({ ok: false, cause: expect.any(String), message: expect.any(String) });
    },
  );

  it('losing its answer to a submission: the prompt is found, not sent again', async () => {
    pool = await startPool({
      workers: [{ runMs: 200, trouble: 'lost_response' }],
      executionTimeouts: watchful,
    });
    const { id } = await submit();
    expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(pool.workers[0]?.stats).toMatchObject({ accepted: 1, duplicateIds: 0 });
  });

  it('behind a proxy that passes a prompt on and answers 504: the prompt is found, and runs once', async () => {
    pool = await startPool({
      workers: [{ runMs: 200, trouble: 'gateway_timeout' }, {}],
      executionTimeouts: watchful,
    });
    for (const worker of pool.workers) turn(worker, 'gateway_timeout');
    const { id } = await submit();
    expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(pool.workers.map(({ stats }) => stats.accepted).sort()).toEqual([0, 1]);
  });

  it('behind a proxy that cannot reach it: unreachable, and its task soon runs elsewhere', async () => {
    pool = await startPool({
      workers: [held, held],
      executionTimeouts: { ...watchful, refusedMs: 500, lostMs: 3_600_000 },
    });
    const { id } = await submit();
    const bad = workerOf(await inPhase(id, 'executing'));
    turn(bad, 'bad_gateway');
    holdNoMore();
    await instanceUntil(bad.port, ({ alive }) => !alive);
    expect(await pool.user.instance(bad.port)).toMatchObject({
      state: 'unreachable',
      lastError: expect.stringContaining('a proxy in front of it answers 502'),
    });
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [
        { outcome: 'lost', error: { message: expect.stringContaining('proxy in front of the worker') } },
        { outcome: 'completed' },
      ],
    });
  });

  it('refusing a workflow: the task has failed with what the worker says, and is not tried again', async () => {
    pool = await startPool({ workers: [{ trouble: 'refuse' }], executionTimeouts: watchful });
    const { id } = await submit();
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { code: 'invalid_workflow', message: expect.stringContaining('Prompt has no outputs') },
    });
    expect(await pool.user.instance(pool.workers[0]?.port ?? 0)).toMatchObject({
      state: 'idle',
      lastError: null,
    });
  });

  it('gone while its outputs are fetched: the task runs again elsewhere', async () => {
    pool = await startPool({
      workers: [
        { outputBytes: 10_000, trouble: 'stuck_output' },
        { outputBytes: 10_000, trouble: 'stuck_output' },
      ],
    });
    const { id } = await submit();
    const dying = workerOf(await inPhase(id, 'collecting'));
    for (const worker of pool.workers) turn(worker, null);
    await dying.close();
    pool.workers.splice(pool.workers.indexOf(dying), 1);
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'completed',
      attempts: [{ outcome: 'outputs_lost' }, { outcome: 'completed' }],
      result: { outputsMissing: 0 },
    });
  });

  it('sending its outputs for ever: only their task is held up', async () => {
    pool = await startPool({ workers: [{ outputBytes: 10_000, trouble: 'stuck_output' }] });
    const [worker] = pool.workers;
    const { id } = await submit();
    await inPhase(id, 'collecting');
    if (worker) turn(worker, null);
    const next = await submit();
    expect(await pool.user.ended(next.id)).toMatchObject({ status: 'completed' });
    expect(await pool.user.task(id)).toMatchObject({ phase: 'collecting' });
    await pool.user.call('DELETE', `/api/tasks/${id}`);
  });

  it('slow to say how an execution ended: it gets the next task in the meantime', async () => {
    pool = await startPool({
      workers: [{ trouble: 'silent_history' }],
      executionTimeouts: { ...watchful, askMs: 1_000 },
    });
    const [worker] = pool.workers;
    const [first, second] = [await submit(), await submit()];
    await pool.user.until(
      async () => worker?.stats.accepted,
      (accepted) => accepted === 2,
    );
    expect((await pool.user.task(first.id)).status).not.toBe('completed');
    if (worker) turn(worker, null);
    for (const { id } of [first, second]) {
      expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    }
    expect(worker?.stats).toMatchObject({ accepted: 2, maxHeld: 1 });
  });

  it('frozen: it counts as dead, its task runs elsewhere once, and its later answers are ignored', async () => {
    fleet = await startFakeFleet(1, held);
    pool = await startPool({ workers: [], executionTimeouts: soonUnheard });
    const [frozenPort = 0] = fleet.ports;
    await pool.admin.useWorkers([frozenPort]);
    const listener = await PushListener.open(pool.gateway.url, pool.user.token);
    const { id } = await submit();
    await inPhase(id, 'executing');
    process.kill(fleet.pid, 'SIGSTOP');
    try {
      const healthy = await FakeWorker.start();
      pool.workers.push(healthy);
      await pool.admin.call('PUT', '/api/config', {
        servers: [
          {
            id: 'test',
            name: 'Test',
            kind: 'comfyui',
            instances: [frozenPort, healthy.port].map((port) => ({ ip: '127.0.0.1', port })),
          },
        ],
        healthCheck: { interval: 1 },
      });
      await instanceUntil(frozenPort, ({ alive }) => !alive);
      const other = await submit();
      expect(await pool.user.ended(other.id)).toMatchObject({ status: 'completed' });
      expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 2 });
      expect(await pool.user.instance(frozenPort)).toMatchObject({
        state: 'unreachable',
        lastError: expect.stringContaining('did not answer in time'),
      });
    } finally {
      process.kill(fleet.pid, 'SIGCONT');
    }
    await fleet.finishRuns();
    await instanceUntil(frozenPort, ({ state }) => state === 'idle');
    expect(await pool.user.task(id)).toMatchObject({ status: 'completed', attempt: 2 });
    const ends = listener.all.filter(
      ({ type, data }) => data.taskId === id && (type === 'task_completed' || type === 'task_failed'),
    );
    expect(ends).toHaveLength(1);
    listener.close();
  });

  it('used by another client: it is busy, and gets no task until it is free', async () => {
    pool = await startPool({ workers: [held] });
    const port = pool.workers[0]?.port ?? 0;
    await fetch(`http://127.0.0.1:${port}/prompt`, {
      method: 'POST',
      body: JSON.stringify({ prompt: anyWorkflow, prompt_id: 'somebody-else' }),
    });
    await instanceUntil(port, ({ state }) => state === 'busy');
    expect(await pool.user.instance(port)).toMatchObject({
      busy: true,
      currentTaskId: null,
      queueRemaining: 1,
    });
    const { id } = await submit();
    holdNoMore();
    pool.workers[0]?.finishRun();
    expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(pool.workers[0]?.stats.maxHeld).toBe(1);
  });
});
