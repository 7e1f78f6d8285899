import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

describe('in the dispatch area', () => {
  let pool: DispatchPool;
  let other: DispatchCaller;
  let taskId: string;
  let fileId: string;

  beforeAll(async () => {
    pool = await startPool();
    other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const file = await pool.user.upload('mine.txt', Buffer.from('mine'));
    fileId = file.fileId;
    taskId = (await pool.user.submit({ workflow: anyWorkflow })).id;
    await pool.user.ended(taskId);
  });

  afterAll(() => pool.close());

  it.each([
    ['PUT', '/api/instances/127.0.0.1:1', { enabled: true }],
    ['POST', '/api/instances/127.0.0.1:1/test', undefined],
    ['GET', '/api/config', undefined],
    ['PUT', '/api/config', { servers: [], healthCheck: { interval: 1 } }],
  ])('%s %s is for administrators alone', async (method, path, body) => {
    expect(await pool.user.request(method, path, { body })).toMatchObject({
      status: 403,
      body: { code: 403, error: 'admin_required', data: null },
    });
  });

  it.each(['/api/instances', '/api/tasks', '/api/files', '/api/monitor/overview'])(
    'users may read %s',
    async (path) => {
      expect((await pool.user.request('GET', path)).status).toBe(200);
    },
  );

  it.each([
    ['GET', () => `/api/tasks/${taskId}`, 'task_not_found'],
    ['GET', () => `/api/tasks/${taskId}?wait=5`, 'task_not_found'],
    ['DELETE', () => `/api/tasks/${taskId}`, 'task_not_found'],
    ['POST', () => `/api/tasks/${taskId}/retry`, 'task_not_found'],
    ['DELETE', () => `/api/files/${fileId}`, 'file_not_found'],
    ['GET', () => `/uploads/${fileId}/mine.txt`, 'file_not_found'],
  ] as const)(
    '%s of something that belongs to another user is 404, as if it did not exist',
    async (method, path, error) => {
      const foreign = await other.request(method, path());
      expect(foreign).toMatchObject({ status: 404, body: { code: 404, error, data: null } });
      const absent = await other.request(
        method,
        path()
          .replace(taskId, '0190a0a0-0000-7000-8000-000000000000')
          .replace(fileId, 'AAAAAAAAAAAAAAAAAAAAAA'),
      );
      expect(absent.status).toBe(404);
      expect({ ...absent.body, requestId: '' }).toEqual({ ...foreign.body, requestId: '' });
    },
  );

  it('lists show users only what is theirs', async () => {
    expect((await other.call('GET', '/api/tasks')).data).toEqual({ total: 0, items: [] });
    expect((await other.call('GET', '/api/files')).data).toEqual({ total: 0, items: [], nextCursor: null });
    expect((await other.call('GET', `/api/files?taskId=${taskId}`)).data.total).toBe(0);
    expect((await other.request('GET', '/api/files?owner=x')).status).toBe(403);
  });

  it("another user's file cannot be named in params", async () => {
    const answer = await other.request('POST', '/api/tasks', {
      body: { workflow: anyWorkflow, params: { '2.filename_prefix': { $file: fileId } } },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.details).toMatchObject([
      { path: 'body.params.2.filename_prefix', message: `There is no file ${fileId}.` },
    ]);
  });

  it('administrators see, cancel and retry the tasks of all, and load their files', async () => {
    expect((await pool.admin.task(taskId)).id).toBe(taskId);
    const loaded = await fetch(`${pool.gateway.url}/uploads/${fileId}/mine.txt`, {
      headers: { authorization: `Bearer ${pool.admin.token}` },
    });
    expect(await loaded.text()).toBe('mine');
    const copy = await pool.admin.request('POST', `/api/tasks/${taskId}/retry`);
    expect(copy.status).toBe(200);
    expect(copy.body.data.owner).toBe((await pool.user.task(taskId)).owner);
    await pool.user.ended(copy.body.data.id);
  });

  it.each(['GET /api/instances', 'GET /api/tasks', 'POST /api/tasks', 'GET /api/config', 'GET /api/files'])(
    '%s needs credentials',
    async (route) => {
      const [method = '', path = ''] = route.split(' ');
      const url = new URL(path, pool.gateway.url);
      const none = await fetch(url, { method });
      expect(none.status).toBe(401);
      expect(await none.json()).toMatchObject({ code: 401, error: 'not_authenticated', data: null });
      const wrong = await fetch(url, { method, headers: { authorization: 'Bearer abc.def.ghi' } });
      expect(wrong.status).toBe(401);
      expect(await wrong.json()).toMatchObject({ code: 401, error: 'token_invalid' });
    },
  );
});
