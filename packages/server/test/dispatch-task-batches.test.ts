import { testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

const postgres = testPostgres('a batch of tasks on Postgres');

describe('a batch of tasks', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const create = (who: DispatchCaller, body: object, key?: string) =>
    who.request('POST', '/api/task-batches?wait=60', {
      body,
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const submit = async (who: DispatchCaller, count: number, input: object = {}) => {
    const tasks = Array.from({ length: count }, () => who.submit({ workflow: anyWorkflow, ...input }));
    return (await Promise.all(tasks)).map(({ id }) => id as string).sort();
  };
  const totalOf = async (who: DispatchCaller, query: string) =>
    (await who.call('GET', `/api/tasks?limit=1&${query}`)).data.total as number;
  /** Tasks that have failed, because they were cancelled. */
  const submitFailed = async (who: DispatchCaller, count: number) => {
    await submit(who, count);
    await create(who, { action: 'cancel', filter: {} });
  };

  it('counts with dryRun and changes nothing, then does what was confirmed', async () => {
    pool = await startPool({ workers: [] });
    await submit(pool.user, 12, { tags: ['old'] });
    await submit(pool.user, 3);
    const asked = { action: 'cancel', filter: { tag: 'old' } };
    const counted = await create(pool.user, { ...asked, dryRun: true });
    expect(counted.body.data).toMatchObject({ id: null, state: 'counted', total: 12, done: 0 });
    expect(await totalOf(pool.user, 'status=pending')).toBe(15);
    const changed = await create(pool.user, { ...asked, count: 11 });
    expect(changed).toMatchObject({ status: 409, body: { error: 'task_batch_changed' } });
    expect(changed.body.message).toContain('12 tasks fit by now');
    const done = await create(pool.user, { ...asked, count: 12 });
    expect(done.body.data).toMatchObject({ state: 'finished', total: 12, done: 12, skipped: 0, failed: 0 });
    expect(await totalOf(pool.user, 'status=pending')).toBe(3);
  });

  it('says how many it did when no count was confirmed, and finds nothing where nothing fits', async () => {
    pool = await startPool({ workers: [held] });
    const [first = ''] = await submit(pool.user, 3);
    await pool.user.until(
      () => pool.user.task(first),
      ({ phase }) => phase === 'executing',
    );
    const all = await create(pool.user, { action: 'cancel', filter: {} });
    expect(all.body.data).toMatchObject({ state: 'finished', total: 3, done: 3 });
    expect(await pool.user.ended(first)).toMatchObject({ error: { code: 'cancelled' } });
    const none = await create(pool.user, { action: 'retry', filter: { tag: 'nowhere' } });
    expect(none.body.data).toMatchObject({ state: 'finished', total: 0, done: 0 });
  });

  it('copies a thousand failed tasks once, also when it is repeated with its key', async () => {
    pool = await startPool({ workers: [] });
    await submitFailed(pool.user, 1_000);
    const asked = { action: 'retry', filter: { status: 'failed' } };
    const [one, two] = await Promise.all([create(pool.user, asked, 'k'), create(pool.user, asked, 'k')]);
    const again = await create(pool.user, asked, 'k');
    expect(one?.body.data).toMatchObject({ state: 'finished', total: 1_000, done: 1_000 });
    expect([two?.body.data.id, again.body.data.id]).toEqual([one?.body.data.id, one?.body.data.id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await totalOf(pool.user, 'status=pending')).toBe(1_000);
    const other = await create(pool.user, { ...asked, filter: {} }, 'k');
    expect(other).toMatchObject({ status: 422, body: { error: 'idempotency_mismatch' } });
  });

  it('copies cancelled tasks alone when the filter says so, and cancels none of them', async () => {
    pool = await startPool();
    for (const worker of pool.workers)
      worker.fails = () => ({ node_id: '1', exception_type: 'ValueError', exception_message: 'Too dark.' });
    const [failed = ''] = await submit(pool.user, 1);
    expect(await pool.user.ended(failed)).toMatchObject({ error: { code: 'execution_failed' } });
    await pool.user.call('POST', '/api/queue/pause', { scope: 'user' });
    await submitFailed(pool.user, 2);
    const filter = { status: 'cancelled' };
    const copied = await create(pool.user, { action: 'retry', filter });
    expect(copied.body.data).toMatchObject({ state: 'finished', total: 2, done: 2 });
    const refused = await create(pool.user, { action: 'cancel', filter });
    expect(refused).toMatchObject({ status: 422, body: { error: 'validation_failed' } });
  });

  it('takes each of its tasks once when the gateway stops in the middle', async () => {
    const folder = temporaryFolder();
    pool = await startPool({ workers: [], home: folder.path, config: { database: { backend: 'sqlite' } } });
    await submitFailed(pool.user, 300);
    const { body } = await pool.user.request('POST', '/api/task-batches?wait=0', {
      body: { action: 'retry', filter: {} },
    });
    await pool.restart();
    const finished = await pool.user.until(
      async () => (await pool.user.call('GET', `/api/task-batches/${body.data.id}?wait=10`)).data,
      ({ state }) => state === 'finished',
    );
    expect(finished).toMatchObject({ total: 300, done: 300, failed: 0 });
    expect(await totalOf(pool.user, 'status=pending')).toBe(300);
    folder.remove();
  });

  it('waits while the queue is full, says so, and goes on when there is room', async () => {
    pool = await startPool({ workers: [], config: { dispatch: { max_queued_per_user: 4 } } });
    await submitFailed(pool.user, 4);
    const [waiting = ''] = await submit(pool.user, 1);
    const { body } = await pool.user.request('POST', '/api/task-batches?wait=0', {
      body: { action: 'retry', filter: {} },
    });
    const at = `/api/task-batches/${body.data.id}`;
    await pool.user.until(
      async () => (await pool.user.call('GET', at)).data,
      ({ waitsFor, done }) => waitsFor?.includes('full') && done === 3,
    );
    await pool.user.call('DELETE', `/api/tasks/${waiting}`);
    expect(
      await pool.user.until(
        async () => (await pool.user.call('GET', `${at}?wait=10`)).data,
        ({ state }) => state === 'finished',
      ),
    ).toMatchObject({ total: 4, done: 4, waitsFor: null });
  });

  it('lists what became of each task, with the copies and the reasons', async () => {
    pool = await startPool({ workers: [] });
    const file = await pool.user.upload('a.png', Buffer.from('x'));
    const [lost = ''] = await submit(pool.user, 1, {
      params: { '2.filename_prefix': { $file: file.fileId } },
    });
    const kept = await submit(pool.user, 2);
    const cancelled = await create(pool.user, { action: 'cancel', taskIds: [lost, ...kept] });
    expect(cancelled.body.data).toMatchObject({ done: 3 });
    await pool.user.call('DELETE', `/api/files/${file.fileId}`);
    const { data } = (await create(pool.user, { action: 'retry', taskIds: [lost, ...kept] })).body;
    expect(data).toMatchObject({ state: 'finished', done: 2, failed: 1 });
    const page = (query: string) => pool.user.call('GET', `/api/task-batches/${data.id}/items?${query}`);
    expect((await page('outcome=failed')).data.items).toMatchObject([
      { taskId: lost, newTaskId: null, error: { code: 'invalid_param' } },
    ]);
    const first = (await page('limit=2')).data;
    const second = (await page(`limit=2&cursor=${first.nextCursor}`)).data;
    const copies = [...first.items, ...second.items].filter(({ newTaskId }) => newTaskId !== null);
    expect(copies.map(({ taskId }) => taskId)).toEqual(kept);
    expect(second.nextCursor).toBeNull();
    for (const { newTaskId } of copies) expect((await pool.user.task(newTaskId)).status).toBe('pending');
    const again = await create(pool.user, { action: 'cancel', taskIds: kept });
    expect(again.body.data).toMatchObject({ done: 2, skipped: 0 });
  });

  it('reaches only their own tasks for a user, and all tasks for an administrator, which is on record', async () => {
    pool = await startPool({ workers: [] });
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const [mine = ''] = await submit(pool.user, 2);
    const [theirs = ''] = await submit(other, 2);
    const foreign = await create(pool.user, { action: 'cancel', taskIds: [mine, theirs] });
    expect(foreign).toMatchObject({ status: 404, body: { error: 'task_not_found' } });
    expect((await pool.user.task(mine)).status).toBe('pending');
    const own = await create(pool.user, { action: 'cancel', filter: {} });
    expect(own.body.data).toMatchObject({ total: 2 });
    expect(await totalOf(other, 'status=pending')).toBe(2);
    expect((await other.request('GET', `/api/task-batches/${own.body.data.id}`)).status).toBe(404);
    expect((await other.request('GET', `/api/task-batches/${own.body.data.id}/items`)).status).toBe(404);
    const { owner } = await other.task(theirs);
    expect((await create(pool.user, { action: 'cancel', filter: { owner } })).status).toBe(403);
    const byAdmin = await create(pool.admin, { action: 'cancel', filter: { owner } });
    expect(byAdmin.body.data).toMatchObject({ total: 2, done: 2 });
    const copies = await create(pool.admin, { action: 'retry', filter: { owner } });
    expect(copies.body.data).toMatchObject({ total: 2, done: 2 });
    expect(await totalOf(other, 'status=pending')).toBe(2);
    const { data } = await pool.admin.call('GET', '/api/audit');
    expect(data.items.slice(0, 2)).toMatchObject([
      { action: 'tasks.retried', details: { tasks: 2, ofOthers: 2 } },
      { action: 'tasks.cancelled', actorName: 'admin@example.com' },
    ]);
  });

  it('moves all waiting tasks of a filter to the front, in the order in which they were created', async () => {
    pool = await startPool({ workers: [] });
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    const [first = ''] = await submit(pool.user, 1);
    const urgent: string[] = [];
    for (let count = 0; count < 3; count++)
      urgent.push(...(await submit(pool.user, 1, { tags: ['urgent'] })));
    const foreign = await create(other, { action: 'front', filter: { tag: 'urgent' } });
    expect(foreign.body.data).toMatchObject({ total: 0 });
    const moved = await create(pool.user, { action: 'front', filter: { tag: 'urgent' } });
    expect(moved.body.data).toMatchObject({ state: 'finished', total: 3, done: 3 });
    const places = await Promise.all(urgent.map(async (id) => (await pool.user.task(id)).position));
    expect(places).toEqual([1, 2, 3]);
    expect((await pool.user.task(first)).position).toBe(4);
    await create(pool.user, { action: 'cancel', taskIds: [first] });
    const late = await create(pool.user, { action: 'front', taskIds: [first, urgent[2]] });
    expect(late.body.data).toMatchObject({ total: 2, done: 1, skipped: 1 });
  });

  it.each([
    ['a status that cannot be moved', { action: 'front', filter: { status: 'running' } }],
    ['neither tasks nor a filter', { action: 'cancel' }],
    ['both', { action: 'cancel', taskIds: ['x'], filter: {} }],
    ['an ended status to cancel', { action: 'cancel', filter: { status: 'completed' } }],
    ['an unknown field', { action: 'cancel', filter: { stauts: 'failed' } }],
    ['an unknown action', { action: 'explode', filter: {} }],
    ['too many ids', { action: 'cancel', taskIds: Array.from({ length: 1_001 }, (_, index) => `t${index}`) }],
    ['a moment that does not exist', { action: 'cancel', filter: { since: '2030-01-31T23:59:60Z' } }],
  ])('is refused with %s', async (_what, body) => {
    pool = await startPool({ workers: [] });
    expect((await create(pool.user, body)).status).toBe(422);
  });
});

describe.skipIf(postgres.isSkipped)(postgres.title, () => {
  it('copies each failed task once', async () => {
    const url = await postgres.createDatabase();
    const pool = await startPool({ workers: [], config: { database: { backend: 'postgres', url } } });
    try {
      for (let index = 0; index < 20; index += 1) await pool.user.submit({ workflow: anyWorkflow });
      const send = (body: object) =>
        pool.user.request('POST', '/api/task-batches?wait=60', { body, headers: { 'idempotency-key': 'k' } });
      await pool.user.request('POST', '/api/task-batches?wait=60', {
        body: { action: 'cancel', filter: {} },
      });
      const answers = await Promise.all([1, 2, 3].map(() => send({ action: 'retry', filter: {} })));
      for (const { body } of answers) expect(body.data).toMatchObject({ total: 20, done: 20 });
      expect((await pool.user.call('GET', '/api/tasks?status=pending')).data.total).toBe(20);
    } finally {
      await pool.close();
    }
  });
});
