import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, held } from './support/dispatch-pool.ts';
import { type DispatchReplicas, startDispatchReplicas } from './support/dispatch-replicas.ts';
import { PushListener } from './support/push-listener.ts';
import { testReplicas } from './support/replicas.ts';

const suite = testReplicas('three replicas with one dispatcher');

describe.skipIf(suite.isSkipped)(suite.title, () => {
  let replicas: DispatchReplicas;

  beforeAll(async () => {
    replicas = await startDispatchReplicas(3, { workers: [held] });
  });

  afterAll(async () => {
    await replicas?.stop();
  });

  const parts = () => {
    const [a, b, c] = replicas.users;
    const [adminA, adminB, adminC] = replicas.admins;
    const [worker] = replicas.workers;
    if (!a || !b || !c || !adminA || !adminB || !adminC || !worker)
      throw new Error('Three replicas are needed.');
    return { a, b, c, adminA, adminB, adminC, worker };
  };

  const untilRunning = async (taskId: string) => {
    const { b } = parts();
    await b.until(
      () => b.task(taskId),
      ({ status }) => status === 'running',
    );
  };

  const untilIdle = async () => {
    const { adminC, worker } = parts();
    await expect.poll(async () => (await adminC.instance(worker.port)).state).toBe('idle');
  };

  it('run a task that was sent to one, and tell its whole life on the socket of another', async () => {
    const { b, c, worker } = parts();
    const push = await PushListener.open(c.url, c.token);
    const { id } = await b.submit({ workflow: anyWorkflow });
    expect((await push.next('task_created')).data).toMatchObject({ taskId: id });
    expect((await push.next('task_started')).data).toMatchObject({ taskId: id });
    const waiting = c.ended(id);
    worker.finishRun();
    expect(await waiting).toMatchObject({ status: 'completed' });
    expect((await push.next('task_completed')).data).toMatchObject({ taskId: id });
    push.close();
  });

  it('stop on the worker what another one is asked to cancel, and tell it on the socket of a third', async () => {
    const { a, b, c } = parts();
    const push = await PushListener.open(b.url, b.token);
    const { id } = await a.submit({ workflow: anyWorkflow });
    await untilRunning(id);
    const waiting = b.ended(id);
    await c.call('DELETE', `/api/tasks/${id}`);
    expect((await push.next('task_stopping')).data).toEqual({ taskId: id });
    push.close();
    expect(await waiting).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    // The worker is free only when it has stopped.
    await untilIdle();
  });

  it('say the same positions, reasons and counts', async () => {
    const { a, b, c } = parts();
    const running = await a.submit({ workflow: anyWorkflow });
    await untilRunning(running.id);
    const waiting: { id: string }[] = [];
    for (const caller of [b, c, a, b]) waiting.push(await caller.submit({ workflow: anyWorkflow }));
    await c.call('POST', `/api/tasks/${waiting[2]?.id}/front`);
    const seen = async (caller: typeof a) =>
      Promise.all(
        waiting.map(async ({ id }) => {
          const { position, waiting: why } = await caller.task(id);
          return { position, why };
        }),
      );
    await expect.poll(async () => (await seen(b)).map(({ position }) => position)).toEqual([2, 3, 1, 4]);
    // A replica hears a moment later what the dispatcher does.
    const unlikeTheFirst = async () => {
      const [first, ...others] = await Promise.all([a, b, c].map(seen));
      return others.filter((views) => !isDeepStrictEqual(views, first));
    };
    await expect.poll(unlikeTheFirst).toEqual([]);
    const batch = await b.call('POST', '/api/task-batches', { action: 'cancel', filter: {} });
    expect(batch.code).toBe(200);
    const done = await c.call('GET', `/api/task-batches/${batch.data.id}?wait=20`);
    expect(done.data).toMatchObject({ state: 'finished', done: 5 });
    await a.ended(running.id);
  });

  it('know how each instance is, and test it where it is looked after', async () => {
    const { adminB, adminC, worker } = parts();
    const path = `/api/instances/127.0.0.1:${worker.port}`;
    await untilIdle();
    const tested = await adminB.call('POST', `${path}/test`);
    expect(tested.data).toMatchObject({ ok: true, instance: { state: 'idle' } });
    const overview = await adminC.call('GET', '/api/monitor/overview');
    expect(overview.data).toMatchObject({ totalInstances: 1, aliveInstances: 1, busyInstances: 0 });
  });

  it('drain an instance with force at the word of another', async () => {
    const { a, adminB, adminC, worker } = parts();
    const { id } = await a.submit({ workflow: anyWorkflow });
    await untilRunning(id);
    const path = `/api/instances/127.0.0.1:${worker.port}`;
    await adminB.call('PUT', `${path}?force=true`, { enabled: false });
    await expect.poll(async () => (await a.task(id)).phase).toBe('queued');
    await expect.poll(async () => (await adminC.instance(worker.port)).state).toBe('off');
    await adminC.call('PUT', path, { enabled: true });
    await untilRunning(id);
    await a.call('DELETE', `/api/tasks/${id}`);
    await a.ended(id);
  });

  it('hold the pause that another one was told, and start again when it is lifted', async () => {
    const { a, b, adminB, adminC } = parts();
    await adminB.call('POST', '/api/queue/pause', { scope: 'all' });
    const { id } = await a.submit({ workflow: anyWorkflow });
    await expect.poll(async () => (await adminC.call('GET', '/api/queue')).data.paused).toBe(true);
    await expect
      .poll(() => b.task(id))
      .toMatchObject({ phase: 'queued', waiting: expect.stringMatching(/paused/i) });
    await adminC.call('POST', '/api/queue/resume', { scope: 'all' });
    await untilRunning(id);
    await b.call('DELETE', `/api/tasks/${id}`);
    await a.ended(id);
  });

  it('tell the pages of a user, on the socket of another, about their files, their runs and what is shared with them', async () => {
    const { a, b } = parts();
    const [gateway] = replicas.gateways;
    if (!gateway) throw new Error('Three replicas are needed.');
    const push = await PushListener.open(b.url, b.token);
    await push.next('global_status');
    const { fileId } = await a.upload('a.txt', Buffer.from('hello'));
    expect((await push.next('files_created')).data.files).toMatchObject([{ fileId, filename: 'a.txt' }]);
    await a.call('PUT', '/api/files/marks', { fileIds: [fileId], starred: true });
    expect((await push.next('files_marked')).data.files).toMatchObject([{ fileId, starred: true }]);
    push.close();
    const session = await gateway.register('ada@example.com');
    const ada = await ConversationCaller.of(gateway.url, session);
    const elsewhere = await DispatchCaller.login(b.url, 'ada@example.com');
    const hers = await PushListener.open(b.url, elsewhere.token);
    await hers.next('global_status');
    const stream = await ada.stream(await ada.thread(), { assistant_id: 'lead_agent', input: says('hello') });
    await stream.rest();
    expect((await hers.next('run_status')).data).toMatchObject({ assistantId: expect.any(String) });
    const to = { kind: 'person', email: 'ada@example.com' };
    const { data: share } = await a.call('POST', '/api/shares', { kind: 'file', subjectId: fileId, to });
    expect((await hers.next('share_changed')).data).toEqual({ kind: 'file', subjectId: fileId });
    const recipe = () => elsewhere.request('GET', `/api/files/${fileId}/recipe`);
    expect((await recipe()).status).toBe(200);
    await a.call('DELETE', `/api/shares/${share.id}`);
    await hers.next('share_changed');
    expect((await recipe()).status).toBe(404);
    hers.close();
  });

  it('use the servers that another one was given', async () => {
    const { adminA, adminB, adminC, worker } = parts();
    const servers = [
      {
        id: 'test',
        name: 'Renamed',
        kind: 'comfyui',
        tags: ['blue'],
        instances: [{ ip: '127.0.0.1', port: worker.port }],
      },
    ];
    await adminB.call('PUT', '/api/config', { servers, healthCheck: { interval: 1 } });
    for (const admin of [adminA, adminC]) {
      await expect
        .poll(async () => (await admin.call('GET', '/api/config')).data.servers[0].name)
        .toBe('Renamed');
      await expect.poll(async () => (await admin.instance(worker.port)).tags).toEqual(['blue']);
    }
  });

  it('understand everything that they tell each other', async () => {
    const { a, b, c } = parts();
    const { id } = await a.submit({ workflow: anyWorkflow });
    await untilRunning(id);
    await b.call('DELETE', `/api/tasks/${id}`);
    await untilIdle();
    for (const { url } of [a, b, c]) {
      const metrics = await (await fetch(new URL('/metrics', url))).text();
      expect(metrics).toContain('switchyard_bus_misfits_total 0');
    }
  });
});
