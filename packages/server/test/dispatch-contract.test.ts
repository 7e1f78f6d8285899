import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

/**
 * The dispatch contract row by row, by a client that knows nothing but the contract: plain requests, plain JSON, and
 * none of the gateway's own types or helpers.
 */
describe('the dispatch contract', () => {
  let gateway: DevGateway;
  let worker: FakeWorker;
  let base: string;
  let token: string;
  let instanceId: string;

  const credentials = { username: 'admin@example.com', password: 'correct horse battery' };
  const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  const integer = expect.schemaMatching({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value: unknown) =>
        Number.isInteger(value) ? { value } : { issues: [{ message: 'no integer' }] },
    },
  });

  // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
  async function call(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await fetch(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
    const envelope: any = await answer.json();
    expect(envelope.code).toBe(answer.status);
    return envelope;
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
  async function poll(path: string, isWanted: (data: any) => boolean): Promise<any> {
    for (;;) {
      const { data } = await call('GET', path);
      if (isWanted(data)) return data;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Finishes the one task that the worker has or is about to get. */
  async function finishRun(): Promise<void> {
    const finished = worker.stats.finished + 1;
    while (worker.stats.finished < finished) {
      worker.finishRun();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await FakeWorker.start({ runMs: heldMs, outputBytes: 500 });
    base = gateway.url;
    await fetch(`${base}/api/v1/auth/initialize`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: credentials.username, password: credentials.password }),
    });
    instanceId = `127.0.0.1:${worker.port}`;
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  it('POST /api/auth/login', async () => {
    const answer = await fetch(`${base}/api/auth/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(credentials),
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
    const envelope: any = await answer.json();
    expect(envelope).toMatchObject({ code: 200, data: { user: { username: credentials.username } } });
    expect(envelope.data.token.split('.')).toHaveLength(3);
    expect(JSON.parse(atob(envelope.data.token.split('.')[0]))).toMatchObject({ alg: 'HS256' });
    token = envelope.data.token;
  });

  it('GET /api/health, without a token', async () => {
    const answer = await fetch(`${base}/api/health`);
    expect(await answer.json()).toMatchObject({
      code: 200,
      data: { status: 'ok', cache: 'embedded', redis: 'embedded' },
    });
  });

  it('PUT /api/config and GET /api/config', async () => {
    const configuration = {
      servers: [
        {
          id: 'server-1',
          name: 'First server',
          kind: 'comfyui',
          instances: [{ ip: '127.0.0.1', port: worker.port }],
        },
      ],
      healthCheck: { interval: 1 },
    };
    const put = await call('PUT', '/api/config', configuration);
    expect(put).toMatchObject({ code: 200, data: configuration });
    expect(await call('GET', '/api/config')).toMatchObject({ code: 200, data: configuration });
  });

  it('GET /api/instances and GET /api/instances/:instanceId', async () => {
    const [instance] = await poll('/api/instances', ([first]) => first.alive);
    const fields = {
      id: instanceId,
      serverId: 'server-1',
      serverName: 'First server',
      ip: '127.0.0.1',
      port: worker.port,
      enabled: true,
      alive: true,
      busy: false,
      lastHeartbeat: iso,
    };
    expect(instance).toMatchObject(fields);
    const detail = await call('GET', `/api/instances/${instanceId}`);
    expect(detail).toMatchObject({ code: 200, data: fields });
    expect((await call('GET', `/api/instances/${encodeURIComponent(instanceId)}`)).data.id).toBe(instanceId);
  });

  it('PUT /api/instances/:instanceId', async () => {
    const off = await call('PUT', `/api/instances/${instanceId}`, { enabled: false });
    expect(off).toMatchObject({ code: 200, data: { id: instanceId, enabled: false } });
    const on = await call('PUT', `/api/instances/${instanceId}`, { enabled: true });
    expect(on.data.enabled).toBe(true);
    expect((await call('GET', '/api/instances')).data[0].enabled).toBe(true);
  });

  it('POST /api/tasks, GET /api/tasks/:taskId, GET /api/tasks', async () => {
    const submitted = await call('POST', '/api/tasks', { workflow, params: {} });
    const { id } = submitted.data;
    expect(submitted).toMatchObject({
      code: 200,
      data: { id: uuid, instanceId: null, status: 'pending', progress: 0, createdAt: iso, updatedAt: iso },
    });
    const running = await poll(`/api/tasks/${id}`, ({ status }) => status === 'running');
    expect(running).toMatchObject({ id, instanceId, status: 'running', progress: integer });
    expect(running.progress).toBeLessThan(100);
    await finishRun();
    const completed = await poll(`/api/tasks/${id}`, ({ status }) => status !== 'running');
    expect(completed).toMatchObject({
      id,
      instanceId,
      status: 'completed',
      progress: 100,
      workflow,
      params: {},
    });
    const list = await call('GET', '/api/tasks?status=completed&limit=10&offset=0');
    expect(list.data.total).toBe(1);
    expect(Object.keys(list.data.items[0])).toEqual(
      expect.arrayContaining(['id', 'instanceId', 'status', 'progress', 'createdAt', 'updatedAt']),
    );
    expect(await call('GET', '/api/tasks?status=pending')).toMatchObject({ data: { total: 0, items: [] } });
  });

  it('POST /api/tasks without params', async () => {
    const { data } = await call('POST', '/api/tasks', { workflow });
    await finishRun();
    await poll(`/api/tasks/${data.id}`, ({ status }) => status === 'completed');
  });

  it('DELETE /api/tasks/:taskId', async () => {
    const { data } = await call('POST', '/api/tasks', { workflow, params: {} });
    expect(await call('DELETE', `/api/tasks/${data.id}`)).toMatchObject({ code: 200, data: { id: data.id } });
    const ended = await poll(`/api/tasks/${data.id}`, ({ status }) => status === 'failed');
    expect(ended.error.code).toBe('cancelled');
  });

  it('POST /api/files/upload, GET /api/files, DELETE /api/files/:fileId', async () => {
    const form = new FormData();
    form.append('file', new Blob(['hello']), 'hello.txt');
    const answer = await fetch(`${base}/api/files/upload`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: form,
    });
    // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
    const uploaded: any = await answer.json();
    expect(uploaded).toMatchObject({
      code: 200,
      data: { fileId: expect.any(String), filename: 'hello.txt', url: expect.stringMatching(/^http/) },
    });
    const { fileId, url } = uploaded.data;
    expect(await (await fetch(url)).text()).toBe('hello');
    const files = (await call('GET', '/api/files')).data.items;
    expect(files).toContainEqual(expect.objectContaining({ fileId, filename: 'hello.txt' }));
    expect(await call('DELETE', `/api/files/${fileId}`)).toEqual({ code: 200, data: { fileId } });
    expect((await call('DELETE', `/api/files/${fileId}`)).code).toBe(404);
  });

  it('GET /api/monitor/overview', async () => {
    const overview = await poll('/api/monitor/overview', ({ busyInstances }) => busyInstances === 0);
    expect(overview).toMatchObject({
      totalInstances: 1,
      aliveInstances: 1,
      pendingTasks: 0,
      runningTasks: 0,
      completedTasks: 2,
      failedTasks: 1,
      disabledInstances: 0,
      oldestPendingSeconds: null,
      tasksPerMinute: expect.any(Number),
      waitMsP50: integer,
      waitMsP95: integer,
    });
  });

  it('the WebSocket sends every type of message when its cause occurs', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
    const messages: any[] = [];
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws`, ['bearer', token]);
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    // biome-ignore lint/suspicious/noExplicitAny: whatever is on the wire
    const heard = async (isWanted: (message: any) => boolean) => {
      for (;;) {
        const message = messages.find(isWanted);
        if (message) return message;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const first = await heard(() => true);
    expect(first).toMatchObject({
      type: 'global_status',
      timestamp: integer,
      data: {
        instances: [{ id: instanceId, alive: true, busy: false }],
        tasks: { pending: 0, running: 0, completed: 2, failed: 1 },
        serverTime: iso,
      },
    });
    const { id } = (await call('POST', '/api/tasks', { workflow, params: {} })).data;
    const of = (type: string) => (message: { type: string; data: { taskId?: string } }) =>
      message.type === type && message.data.taskId === id;
    expect(await heard(of('task_created'))).toMatchObject({ requestId: uuid, data: { task: { id } } });
    expect(await heard(of('task_started'))).toMatchObject({ data: { instanceId, attempt: 1 } });
    expect(await heard(of('task_progress'))).toMatchObject({
      timestamp: integer,
      requestId: uuid,
      data: { taskId: id, progress: integer },
    });
    expect(await heard(({ type, data }) => type === 'instance_status' && data.busy)).toMatchObject({
      data: { instanceId, alive: true, busy: true },
    });
    await finishRun();
    const completed = await heard(of('task_completed'));
    expect(completed).toMatchObject({
      data: { taskId: id, result: { files: [expect.stringMatching(/^http/)] } },
    });
    expect((await fetch(completed.data.result.files[0])).status).toBe(200);
    const progress = messages.filter(of('task_progress')).map(({ data }) => data.progress);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(Math.max(...progress)).toBeLessThan(100);

    worker.behaviour = { ...worker.behaviour, trouble: 'refuse' };
    const refused = (await call('POST', '/api/tasks', { workflow, params: {} })).data;
    const failed = await heard(({ type, data }) => type === 'task_failed' && data.taskId === refused.id);
    expect(failed.data).toEqual({
      taskId: refused.id,
      error: { code: expect.any(String), message: expect.any(String), sentences: expect.any(Array) },
      attempt: 1,
    });
    await heard(({ type, data }) => type === 'global_status' && data.tasks.failed === 2);
    socket.close();
  });

  it('a client that knows nothing else may send any workflow and params object', async () => {
    for (const body of [
      { workflow, params: { seed: 42, prompt: 'a cat', nested: { list: [1, 2, 3] } } },
      { workflow, params: { '1.width': 32 } },
    ]) {
      expect((await call('POST', '/api/tasks', body)).code).toBe(200);
    }
  });

  it.each([
    ['GET', '/api/tasks/not-an-id', 404],
    ['DELETE', '/api/tasks/not-an-id', 404],
    ['GET', '/api/instances/nowhere:1', 404],
    ['DELETE', '/api/files/none', 404],
    ['POST', '/api/tasks', 422],
    ['PUT', '/api/config', 422],
    ['PATCH', '/api/tasks', 405],
  ])('a failure has the envelope of failures: %s %s', async (method, path, status) => {
    const envelope = await call(method, path, method === 'GET' || method === 'DELETE' ? undefined : {});
    expect(envelope).toMatchObject({
      code: status,
      message: expect.any(String),
      error: expect.stringMatching(/^[a-z_]+$/),
      data: null,
      requestId: uuid,
    });
  });
});

/** Long enough to last until the test ends it. */
const heldMs = 3_600_000;

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'contract' } },
};
