import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';
import { PushListener } from './support/push-listener.ts';

describe('a pause of the queue', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const pause = (who: DispatchCaller, body: object) => who.request('POST', '/api/queue/pause', { body });
  const resume = (who: DispatchCaller, body: object) => who.request('POST', '/api/queue/resume', { body });
  const submit = (who: DispatchCaller = pool.user, input: object = {}) =>
    who.submit({ workflow: anyWorkflow, ...input });
  const executing = (who: DispatchCaller, taskId: string) =>
    who.until(
      () => who.task(taskId),
      ({ phase }) => phase === 'executing',
    );
  const idOf = async (who: DispatchCaller) => (await submit(who)).owner as string;

  it('by an administrator lets running tasks go on, starts no other one, and says since when and why', async () => {
    pool = await startPool({ workers: [held] });
    const [worker] = pool.workers;
    const running = await submit();
    await executing(pool.user, running.id);
    const { status, body } = await pause(pool.admin, { scope: 'all', reason: 'New drivers' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      scope: 'all',
      target: null,
      by: 'administrator',
      reason: 'New drivers',
    });
    const waiting = await submit();
    if (worker) worker.behaviour = { ...worker.behaviour, runMs: 0 };
    worker?.finishRun();
    expect(await pool.user.ended(running.id)).toMatchObject({ status: 'completed' });
    await pool.user.until(
      () => pool.user.instance(worker?.port ?? 0),
      ({ state }) => state === 'idle',
    );
    expect(await pool.user.task(waiting.id)).toMatchObject({ phase: 'queued', position: 1, attempt: 0 });
    const overview = (await pool.user.call('GET', '/api/monitor/overview')).data;
    expect(overview).toMatchObject({
      paused: { reason: 'New drivers', since: body.data.since },
      pausedPools: [],
    });
    expect((await pool.user.call('GET', '/api/queue')).data).toEqual({
      paused: true,
      pauses: [{ ...body.data, userId: null }],
      nextCursor: null,
    });
    expect((await resume(pool.admin, { scope: 'all' })).body.data).toEqual({ resumed: true });
    expect(await pool.user.ended(waiting.id)).toMatchObject({ status: 'completed' });
    expect((await resume(pool.admin, { scope: 'all' })).body.data).toEqual({ resumed: false });
  });

  it('of a pool holds back the servers with its tag, and only tasks that need one of them', async () => {
    pool = await startPool({ workers: [{}] });
    await pool.admin.useWorkers([pool.workers[0]?.port ?? 0], { tags: ['big'] });
    expect((await pause(pool.admin, { scope: 'pool', target: 'bog' })).body).toMatchObject({
      code: 422,
      details: [{ path: 'body.target', message: 'No server has the tag "bog". Did you mean "big"?' }],
    });
    await pause(pool.admin, { scope: 'pool', target: 'big' });
    const task = await submit(pool.user, { pool: 'big' });
    expect((await pool.user.call('GET', '/api/monitor/overview')).data).toMatchObject({
      paused: null,
      pausedPools: ['big'],
    });
    expect(await pool.user.task(task.id)).toMatchObject({ phase: 'queued' });
    await pool.admin.useWorkers([pool.workers[0]?.port ?? 0]);
    await pool.admin.useWorkers([pool.workers[0]?.port ?? 0], { tags: ['big'] });
    expect(await pool.user.task(task.id)).toMatchObject({ phase: 'queued' });
    await resume(pool.admin, { scope: 'pool', target: 'big' });
    expect(await pool.user.ended(task.id)).toMatchObject({ status: 'completed' });
  });

  it('of a user holds back their tasks, and no other user sees it', async () => {
    pool = await startPool();
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const paused = await pause(pool.user, { scope: 'user', reason: 'Wrong seed' });
    const mine = await submit();
    expect(paused.body.data).toMatchObject({ scope: 'user', target: mine.owner, by: 'owner', userId: null });
    const theirs = await submit(other);
    expect(await other.ended(theirs.id)).toMatchObject({ status: 'completed' });
    expect(await pool.user.task(mine.id)).toMatchObject({ phase: 'queued' });
    expect((await other.call('GET', '/api/queue')).data.pauses).toEqual([]);
    expect((await pool.admin.call('GET', '/api/queue')).data.pauses).toMatchObject([{ userId: mine.owner }]);
    expect((await resume(pool.user, { scope: 'user' })).status).toBe(200);
    expect(await pool.user.ended(mine.id)).toMatchObject({ status: 'completed' });
  });

  it('of an administrator for a user is not lifted by that user, and the answer says why', async () => {
    pool = await startPool({ workers: [] });
    const target = await idOf(pool.user);
    const asked = { scope: 'user', target: 'user@example.com', reason: 'Too many at night' };
    expect((await pause(pool.admin, asked)).body).toMatchObject({ code: 200 });
    await pause(pool.user, { scope: 'user' });
    expect((await resume(pool.user, { scope: 'user' })).body.data).toEqual({ resumed: true });
    const refused = await resume(pool.user, { scope: 'user' });
    expect(refused).toMatchObject({ status: 403, body: { error: 'admin_required' } });
    expect(refused.body.message).toContain('Too many at night');
    expect((await resume(pool.admin, { scope: 'user', target })).body.data).toEqual({ resumed: true });
    expect((await pool.user.call('GET', '/api/queue')).data.pauses).toEqual([]);
  });

  it.each([
    [{ scope: 'all' }, 403],
    [{ scope: 'pool', target: 'x' }, 403],
    [{ scope: 'user', target: 'admin@example.com' }, 403],
    [{ scope: 'user', reson: 'x' }, 422],
    [{ scope: 'everything' }, 422],
  ])('is refused to a user who asks for %j', async (body, status) => {
    pool = await startPool({ workers: [] });
    expect((await pause(pool.user, body)).status).toBe(status);
    expect((await pool.user.call('GET', '/api/queue')).data).toEqual({
      paused: false,
      pauses: [],
      nextCursor: null,
    });
  });

  it('is told to sockets: to all when it concerns all, else to its user and to administrators', async () => {
    pool = await startPool({ workers: [] });
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const [mine, theirs] = await Promise.all(
      [pool.user, other].map(({ token }) => PushListener.open(pool.gateway.url, token)),
    );
    await Promise.all([mine?.next('global_status'), theirs?.next('global_status')]);
    await pause(pool.user, { scope: 'user', reason: 'mine' });
    await pause(pool.admin, { scope: 'all', reason: 'all' });
    expect((await mine?.next('queue_changed'))?.data).toMatchObject({
      change: 'paused',
      pause: { scope: 'user', by: 'owner', reason: 'mine' },
    });
    expect((await mine?.next('queue_changed'))?.data.pause).toMatchObject({ scope: 'all', reason: 'all' });
    const first = await theirs?.next('queue_changed');
    expect(first?.data.pause).toMatchObject({ scope: 'all' });
    expect(JSON.stringify(theirs?.all)).not.toContain('mine');
    await pool.user.until(
      async () => (await theirs?.next('global_status'))?.data.paused,
      (shown) => shown?.reason === 'all',
    );
    mine?.close();
    theirs?.close();
  });

  it('lasts over a restart, and a second pause keeps the time of the first', async () => {
    const folder = temporaryFolder();
    const home = { home: folder.path, config: { database: { backend: 'sqlite' as const } } };
    pool = await startPool({ workers: [{}], ...home });
    const first = (await pause(pool.admin, { scope: 'all', reason: 'a' })).body.data;
    const second = (await pause(pool.admin, { scope: 'all', reason: 'b' })).body.data;
    expect(second).toEqual({ ...first, reason: 'b' });
    const task = await submit();
    await pool.restart();
    expect((await pool.user.call('GET', '/api/queue')).data.pauses).toEqual([{ ...second, userId: null }]);
    await pool.user.until(
      () => pool.user.instance(pool.workers[0]?.port ?? 0),
      ({ state }) => state === 'idle',
    );
    expect(await pool.user.task(task.id)).toMatchObject({ phase: 'queued' });
    await resume(pool.admin, { scope: 'all' });
    expect(await pool.user.ended(task.id)).toMatchObject({ status: 'completed' });
    folder.remove();
  });

  it('is on record, with who set and who lifted it', async () => {
    pool = await startPool({ workers: [] });
    await pause(pool.admin, { scope: 'all', reason: 'New drivers' });
    await resume(pool.admin, { scope: 'all' });
    const { data } = await pool.admin.call('GET', '/api/audit?target=queue:all');
    expect(data.items).toMatchObject([
      { action: 'queue.resumed', actorName: 'admin@example.com', via: 'bearer' },
      { action: 'queue.paused', details: { reason: 'New drivers', by: 'administrator' } },
    ]);
    expect((await pool.user.request('GET', '/api/audit')).status).toBe(403);
  });
});

describe('a task that is moved to the front', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const front = (who: DispatchCaller, taskId: string) => who.request('POST', `/api/tasks/${taskId}/front`);

  it('goes before the others of its owner, and stays there over a restart', async () => {
    const folder = temporaryFolder();
    pool = await startPool({
      workers: [],
      home: folder.path,
      config: { database: { backend: 'sqlite' } },
    });
    const tasks: { id: string }[] = [];
    for (let index = 0; index < 4; index += 1) tasks.push(await pool.user.submit({ workflow: anyWorkflow }));
    const positions = async () =>
      Promise.all(tasks.map(async ({ id }) => (await pool.user.task(id)).position as number));
    expect(await positions()).toEqual([1, 2, 3, 4]);
    const moved = await front(pool.user, tasks[2]?.id ?? '');
    expect(moved).toMatchObject({ status: 200, body: { data: { id: tasks[2]?.id, position: 1 } } });
    await front(pool.user, tasks[3]?.id ?? '');
    expect(await positions()).toEqual([3, 4, 2, 1]);
    await pool.restart();
    expect(await positions()).toEqual([3, 4, 2, 1]);
    folder.remove();
  });

  it('is a conflict once a worker has it, and 404 for somebody else', async () => {
    pool = await startPool();
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const task = await pool.user.submit({ workflow: anyWorkflow });
    await pool.user.ended(task.id);
    expect(await front(pool.user, task.id)).toMatchObject({
      status: 409,
      body: { error: 'task_not_waiting' },
    });
    expect((await front(other, task.id)).status).toBe(404);
  });

  it('by an administrator is on record, and its owner hears of it', async () => {
    pool = await startPool({ workers: [] });
    const listener = await PushListener.open(pool.gateway.url, pool.user.token);
    const first = await pool.user.submit({ workflow: anyWorkflow });
    const second = await pool.user.submit({ workflow: anyWorkflow });
    await front(pool.user, first.id);
    await front(pool.admin, second.id);
    expect((await listener.next('task_moved')).data).toEqual({ taskId: first.id, position: 1 });
    expect((await listener.next('task_moved')).data).toEqual({ taskId: second.id, position: 1 });
    const { data } = await pool.admin.call('GET', '/api/audit?action=task.moved_to_front');
    expect(data.items).toMatchObject([{ target: `task:${second.id}`, details: { owner: second.owner } }]);
    listener.close();
  });
});
