import { testPostgres } from '@switchyard/dev-env/postgres';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

const postgres = testPostgres('sweeps on Postgres');
const drawing = { outputBytes: 100 };
const sides = {
  axes: [
    { param: 'width', values: [16, 24, 32] },
    { param: 'color', range: { from: 0, to: 2, step: 1 } },
  ],
};

describe('a sweep', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  const saved = async (who: DispatchCaller = pool.user) =>
    (await who.call('POST', '/api/workflows', { name: 'kite', workflow: anyWorkflow })).data.id as string;
  const create = async (
    input: object,
    { key, who = pool.user }: { key?: string; who?: DispatchCaller } = {},
  ) =>
    who.request('POST', '/api/sweeps', {
      body: { workflowId: await idOf(who), ...sides, ...input },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  const idOf = async (who: DispatchCaller) =>
    ((await who.call('GET', '/api/workflows?name=kite')).data.items[0]?.id as string | undefined) ??
    saved(who);
  const made = async (input: object = {}) => {
    const { body } = await create(input);
    if (body.code !== 200) throw new Error(JSON.stringify(body));
    return body.data;
  };
  const detail = async (id: string) => (await pool.user.call('GET', `/api/sweeps/${id}`)).data;
  const cellsOf = async (id: string) =>
    (await pool.user.call('GET', `/api/sweeps/${id}/cells?limit=200`)).data.items;
  /** Returns the sweep once its cells are as they should be. */
  const until = (id: string, counts: object) =>
    pool.user.until(
      () => detail(id),
      (sweep) => Object.entries(counts).every(([state, count]) => sweep.counts[state] === count),
    );

  it('is a grid of tasks with their own values and files, whose tasks say where they belong', async () => {
    pool = await startPool({ workers: [drawing, drawing] });
    const sweep = await made({ name: 'Sides', params: { height: 8 }, tags: ['grid'], priority: -5 });
    expect(sweep).toMatchObject({ name: 'Sides', total: 9, version: 1, wildcardSeed: null });
    expect(sweep.settings).toMatchObject({ tags: ['grid'], priority: -5 });
    expect(sweep.axes).toMatchObject([
      { param: 'width', count: 3, values: [16, 24, 32] },
      { param: 'color', count: 3, values: [0, 1, 2] },
    ]);
    await until(sweep.id, { completed: 9 });
    const cells = await cellsOf(sweep.id);
    expect(cells[5]).toMatchObject({
      cell: 5,
      at: [2, 1],
      values: { width: 32, color: 1 },
      state: 'completed',
    });
    expect(cells[5].outputs[0]).toMatchObject({ fileId: expect.any(String) });
    expect(await pool.user.task(cells[5].taskId)).toMatchObject({
      params: { '1.width': 32, '1.color': 1, '1.height': 8 },
      tags: ['grid'],
      priority: -5,
      savedWorkflow: { version: 1 },
      sweep: { id: sweep.id, cell: 5 },
    });
    await pool.user.call('DELETE', `/api/files/${cells[5].outputs[0].fileId}`);
    expect((await cellsOf(sweep.id))[5].outputs).toHaveLength(cells[5].outputs.length - 1);
    const name = '  <b>ĝ\u202e "x"  ';
    await pool.user.call('PATCH', `/api/sweeps/${sweep.id}`, { name });
    const list = (await pool.user.call('GET', `/api/sweeps?workflowId=${sweep.workflowId}`)).data;
    expect(list.total).toBe(1);
    expect(list.items[0]).toMatchObject({ id: sweep.id, name: name.trim(), counts: { completed: 9 } });
    const page = (await pool.user.call('GET', `/api/sweeps/${sweep.id}/cells?limit=4`)).data;
    const rest = await pool.user.call(
      'GET',
      `/api/sweeps/${sweep.id}/cells?limit=5&cursor=${page.nextCursor}`,
    );
    expect([...page.items, ...rest.data.items].map(({ cell }) => cell)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(rest.data.nextCursor).toBeNull();
  });

  it('is foreseen without a task, and refused with its faults before anything is made', async () => {
    pool = await startPool({ workers: [] });
    const workflowId = await saved();
    const foresee = (input: object) =>
      pool.user.request('POST', '/api/sweeps/outlook', { body: { workflowId, ...sides, ...input } });
    expect((await foresee({})).body.data).toMatchObject({
      total: 9,
      maxRuns: 1_000,
      axes: [
        { param: 'width', count: 3 },
        { param: 'color', count: 3 },
      ],
      totals: { instances: 0, couldRun: 0 },
      seconds: null,
      cost: null,
    });
    const million = { axes: [{ param: 'color', range: { from: 0, to: 999_999, step: 1 } }] };
    const countless = { axes: [{ param: 'color', range: { from: -1e308, to: 1e308, step: 1e-9 } }] };
    for (const answer of [await foresee(million), await create(million)]) {
      expect(answer).toMatchObject({ status: 422, body: { error: 'sweep_too_large' } });
      expect(answer.body.message).toContain('1000000 runs, and a sweep makes at most 1000');
      expect(answer.body.details[0].sentences[0].code).toBe('sweep_too_many_runs');
    }
    expect((await foresee(countless)).body.error).toBe('sweep_too_large');
    const deep = `${'{a|'.repeat(21)}${'}'.repeat(21)}`;
    for (const [input, status] of [
      [{ params: { height: 'high' } }, 422],
      [{ axes: [{ param: 'hight', values: [1] }] }, 422],
      [{ axes: [{ param: 'color', range: { from: 0, to: 4, step: 0 } }] }, 422],
      [{ params: { filename_prefix: '{red|blue' }, wildcards: ['filename_prefix'] }, 422],
      [{ params: { filename_prefix: deep }, wildcards: ['filename_prefix'] }, 422],
      [{ priority: 90 }, 422],
      [{ version: 7 }, 404],
    ] as const) {
      const [before, after] = [await foresee(input), await create(input)];
      expect([input, before.status, after.status]).toEqual([input, status, status]);
      expect(before.body.message).toBe(after.body.message);
    }
    expect((await pool.user.call('GET', '/api/sweeps')).data.total).toBe(0);
    expect((await pool.user.call('GET', '/api/tasks')).data.total).toBe(0);
  });

  it('is one sweep for one key, and does not exist for others', async () => {
    pool = await startPool({ workers: [] });
    await saved();
    const [one, two] = await Promise.all([create({}, { key: 'k' }), create({}, { key: 'k' })]);
    const again = await create({}, { key: 'k' });
    const { id } = one.body.data;
    expect([two.body.data.id, again.body.data.id]).toEqual([id, id]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await create({ name: 'other' }, { key: 'k' })).body.error).toBe('idempotency_mismatch');
    await until(id, { pending: 9 });
    expect((await pool.user.call('GET', '/api/tasks')).data.total).toBe(9);
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    for (const who of [other, pool.admin]) {
      expect((await who.call('GET', '/api/sweeps')).data.total).toBe(0);
      for (const [method, suffix] of [
        ['GET', ''],
        ['GET', '/cells'],
        ['POST', '/cancel'],
        ['POST', '/retry'],
        ['PATCH', ''],
        ['DELETE', ''],
      ] as const) {
        const body = suffix === '/retry' ? {} : method === 'PATCH' ? { name: 'x' } : undefined;
        const answer = await who.request(method, `/api/sweeps/${id}${suffix}`, { body });
        expect([suffix, answer.status, answer.body.error]).toEqual([suffix, 404, 'sweep_not_found']);
      }
      const foreign = { workflowId: one.body.data.workflowId, ...sides };
      expect((await who.request('POST', '/api/sweeps', { body: foreign })).body.error).toBe(
        'workflow_not_found',
      );
    }
    expect((await detail(id)).counts.pending).toBe(9);
  });

  it('picks wildcards for each run, which its tasks have as plain text', async () => {
    pool = await startPool({ workers: [] });
    const sweep = await made({
      axes: [{ param: 'color', seeds: 20 }],
      params: { filename_prefix: 'a {red|blue} {{kite}} \\{x\\}' },
      wildcards: ['filename_prefix'],
      wildcardSeed: 11,
    });
    expect(sweep).toMatchObject({ wildcardSeed: 11, wildcards: ['filename_prefix'] });
    await until(sweep.id, { pending: 20 });
    const cells = await cellsOf(sweep.id);
    const picked = cells.map(({ values }: { values: { filename_prefix: string } }) => values.filename_prefix);
    expect(new Set(picked)).toEqual(new Set(['a red {{kite}} {x}', 'a blue {{kite}} {x}']));
    const task = await pool.user.task(cells[3].taskId);
    expect(task.params).toMatchObject({ '2.filename_prefix': picked[3], '1.color': cells[3].values.color });
  });

  it('waits while the queue is full, says so, and cancels and runs again what is left', async () => {
    pool = await startPool({ workers: [held], config: { dispatch: { max_queued_per_user: 4 } } });
    const { id } = await made();
    const waits = await pool.user.until(
      () => detail(id),
      ({ waitsFor, counts }) => waitsFor !== null && counts.running === 1,
    );
    expect(waits.waitsFor).toContain('no room for more of your tasks');
    expect(waits.waitsForSentences).toEqual([{ code: 'sweep_queue_full', values: {} }]);
    await pool.user.call('POST', `/api/sweeps/${id}/cancel`);
    const cancelled = await pool.user.until(
      () => detail(id),
      ({ counts }) => counts.pending + counts.running + counts.waiting === 0,
    );
    expect(cancelled).toMatchObject({ waitsFor: null });
    expect(cancelled.counts.stopped).toBeGreaterThan(0);
    expect(cancelled.counts.stopped + cancelled.counts.cancelled).toBe(9);
    const { body } = await pool.user.request('POST', `/api/sweeps/${id}/retry`, {
      body: { states: ['stopped'] },
    });
    expect(body.data.counts.stopped).toBe(0);
    expect(body.data.counts.cancelled).toBe(cancelled.counts.cancelled);
    await pool.user.until(
      () => detail(id),
      ({ counts }) => counts.pending + counts.running > 0,
    );
  });

  it('says of a cell whose worker goes on after a cancel that it is asked to stop', async () => {
    pool = await startPool({ workers: [{ ...held, trouble: 'stubborn' }] });
    const { id } = await made();
    await until(id, { running: 1, pending: 8 });
    const asked = async () =>
      (await cellsOf(id)).filter((cell: { cancelRequested: boolean }) => cell.cancelRequested);
    expect(await asked()).toEqual([]);
    await pool.user.call('POST', `/api/sweeps/${id}/cancel`);
    await expect.poll(asked).toMatchObject([{ state: 'running' }]);
  });

  it('leaves no task to wait when it is cancelled while they are still being made', async () => {
    pool = await startPool({ workers: [] });
    const { id } = await made({ axes: [{ param: 'color', range: { from: 1, to: 400, step: 1 } }] });
    await pool.user.until(
      () => detail(id),
      ({ counts }) => counts.pending > 0,
    );
    await pool.user.call('POST', `/api/sweeps/${id}/cancel`);
    const { counts } = await until(id, { pending: 0, waiting: 0 });
    expect(counts.stopped + counts.cancelled).toBe(400);
    await pool.user.request('POST', `/api/sweeps/${id}/retry`, {
      body: { states: ['stopped', 'cancelled'] },
    });
    await until(id, { pending: 400 });
  });

  it('shows why a cell has no picture, and runs the failed and refused ones again', async () => {
    pool = await startPool();
    const [worker] = pool.workers;
    if (!worker) throw new Error('no worker');
    worker.fails = () => ({ node_id: '1', exception_type: 'ValueError', exception_message: 'Too dark.' });
    const file = await pool.user.upload('a.png', Buffer.from('x'));
    await pool.user.call('POST', '/api/queue/pause', { scope: 'user' });
    const workflowId = await saved();
    await pool.user.call('PUT', `/api/workflows/${workflowId}`, {
      workflow: { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: 'a.png' } } },
    });
    const gone = { $file: 'f'.repeat(22) };
    const { id } = await made({ axes: [{ param: 'image', values: [{ $file: file.fileId }, gone] }] });
    await until(id, { pending: 1, refused: 1 });
    await pool.user.call('POST', '/api/queue/resume', { scope: 'user' });
    await until(id, { failed: 1, refused: 1 });
    const cells = await cellsOf(id);
    expect(cells[0]).toMatchObject({ state: 'failed', error: { code: 'execution_failed' } });
    expect(cells[1]).toMatchObject({ state: 'refused', taskId: null, error: { code: 'invalid_param' } });
    expect(cells[1].error.message).toContain('There is no file');
    worker.fails = () => null;
    await pool.user.request('POST', `/api/sweeps/${id}/retry`, { body: {} });
    await until(id, { completed: 1, refused: 1 });
    expect((await cellsOf(id))[0].taskId).not.toBe(cells[0].taskId);
  });

  it('makes each task once when the gateway stops in the middle, and is gone when it is deleted', async () => {
    const folder = temporaryFolder();
    pool = await startPool({ workers: [], home: folder.path, config: { database: { backend: 'sqlite' } } });
    const { id } = await made({ axes: [{ param: 'color', range: { from: 1, to: 300, step: 1 } }] });
    await pool.restart();
    await until(id, { pending: 300, waiting: 0 });
    expect((await pool.user.call('GET', '/api/tasks')).data.total).toBe(300);
    expect((await pool.user.call('DELETE', `/api/sweeps/${id}`)).data).toEqual({ id });
    expect((await pool.user.request('GET', `/api/sweeps/${id}`)).status).toBe(404);
    expect((await pool.user.call('GET', '/api/tasks')).data.total).toBe(300);
    folder.remove();
  });

  it.skipIf(postgres.isSkipped)('works on Postgres', async () => {
    pool = await startPool({ config: { database: { url: await postgres.createDatabase() } } });
    const { id } = await made();
    await until(id, { completed: 9 });
    await pool.user.call('POST', `/api/sweeps/${id}/cancel`);
    await pool.user.request('POST', `/api/sweeps/${id}/retry`, {
      body: { states: ['failed', 'cancelled', 'stopped'] },
    });
    await until(id, { completed: 9 });
    expect((await cellsOf(id))[8].at).toEqual([2, 2]);
  });
});
