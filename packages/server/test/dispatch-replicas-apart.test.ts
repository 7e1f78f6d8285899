import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyWorkflow, held } from './support/dispatch-pool.ts';
import { type DispatchReplicas, startDispatchReplicas } from './support/dispatch-replicas.ts';
import { type Message, PushListener } from './support/push-listener.ts';
import { testReplicas } from './support/replicas.ts';

const suite = testReplicas('two replicas whose Redis is away');

describe.skipIf(suite.isSkipped)(suite.title, () => {
  let replicas: DispatchReplicas;

  beforeAll(async () => {
    replicas = await startDispatchReplicas(2, { workers: [held] });
  });

  afterAll(async () => {
    await replicas?.stop();
  });

  it('find in the rows what was sent and cancelled, and tell clients to read again when it is back', async () => {
    const [, b] = replicas.users;
    const [, admin] = replicas.admins;
    const [worker] = replicas.workers;
    if (!b || !admin || !worker) throw new Error('Two replicas are needed.');
    const push = await PushListener.open(b.url, b.token);
    await push.next('global_status');
    await replicas.redis.kill();

    const ends = await b.submit({ workflow: anyWorkflow });
    await b.until(
      () => b.task(ends.id),
      ({ status }) => status === 'running',
    );
    const ended = b.ended(ends.id);
    worker.finishRun();
    expect(await ended).toMatchObject({ status: 'completed' });

    const cancelled = await b.submit({ workflow: anyWorkflow });
    await b.until(
      () => b.task(cancelled.id),
      ({ status }) => status === 'running',
    );
    await b.call('DELETE', `/api/tasks/${cancelled.id}`);
    expect(await b.ended(cancelled.id)).toMatchObject({ error: { code: 'cancelled' } });

    const path = `/api/instances/127.0.0.1:${worker.port}`;
    await admin.call('PUT', path, { enabled: false });
    await expect.poll(async () => (await admin.instance(worker.port)).state).toBe('off');

    await replicas.redis.restart();
    expect((await push.next('resync')).data).toEqual({ reason: 'too_old' });
    await admin.call('PUT', path, { enabled: true });
    // Each replica tells when it is back that something of it was lost, and then the client is told to read once more.
    for (let isTold = false; !isTold; ) {
      const seen = push.all.length;
      const after = await b.submit({ workflow: anyWorkflow });
      const isStart = ({ type, data }: Message) => type === 'task_started' && data.taskId === after.id;
      const news = () => push.all.slice(seen).filter((each) => each.type === 'resync' || isStart(each));
      await expect.poll(() => news().length).toBeGreaterThan(0);
      await b.until(
        () => b.task(after.id),
        ({ status }) => status === 'running',
      );
      worker.finishRun();
      expect(await b.ended(after.id)).toMatchObject({ status: 'completed' });
      isTold = news().some(isStart);
    }
    push.close();
  });
});
