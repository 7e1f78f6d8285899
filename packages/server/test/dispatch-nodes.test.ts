import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 255 } },
  '2': { class_type: 'ImageInvert', inputs: { image: ['1', 0] }, _meta: { title: 'Turn around' } },
  '3': { class_type: 'SaveImage', inputs: { images: ['2', 0], filename_prefix: 'n' } },
};

describe('the nodes of a task on a worker', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let admin: DispatchCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  const nodesOf = async (taskId: string, query = '') =>
    (await admin.call('GET', `/api/tasks/${taskId}/nodes${query}`)).data;

  it('stand in the order in which they ran, with their titles, within the time of the attempt', async () => {
    const { id } = await admin.submit({ workflow });
    const { attempts } = await admin.ended(id);
    const { items, folded, nextCursor } = await nodesOf(id);
    expect(
      items.map(({ node, title, class: nodeClass, state }: Node) => [node, title, nodeClass, state]),
    ).toEqual([
      ['1', 'EmptyImage', 'EmptyImage', 'finished'],
      ['2', 'Turn around', 'ImageInvert', 'finished'],
      ['3', 'SaveImage', 'SaveImage', 'finished'],
    ]);
    expect({ folded, nextCursor }).toEqual({ folded: [], nextCursor: null });
    const [attempt] = attempts;
    const times = items.flatMap(({ startedAt, endedAt }: Node) => [startedAt, endedAt]);
    expect([attempt.startedAt, ...times, attempt.endedAt]).toEqual(
      [attempt.startedAt, ...times, attempt.endedAt].sort(),
    );
  });

  it('say which of them the worker still had', async () => {
    const params = { '1.color': 77 };
    await admin.ended((await admin.submit({ workflow, params })).id);
    const again = {
      ...workflow,
      '3': { ...workflow['3'], inputs: { images: ['2', 0], filename_prefix: 'o' } },
    };
    const { id } = await admin.submit({ workflow: again, params });
    await admin.ended(id);
    const { items } = await nodesOf(id);
    expect(items.map(({ node, cached, state }: Node) => [node, cached, state])).toEqual([
      ['1', true, 'cached'],
      ['2', true, 'cached'],
      ['3', false, 'finished'],
    ]);
  });

  it('come in pages that together are the whole', async () => {
    const { id } = await admin.submit({ workflow, params: { '1.color': 9 } });
    await admin.ended(id);
    const whole = await nodesOf(id);
    const first = await nodesOf(id, '?limit=2');
    const second = await nodesOf(id, `?limit=2&cursor=${first.nextCursor}`);
    expect(first.items).toHaveLength(2);
    expect(second.nextCursor).toBeNull();
    expect([...first.items, ...second.items]).toEqual(whole.items);
  });

  it('are told with the usual time of each node, learned from five tasks of any user with the same graph', async () => {
    const graph = {
      '1': workflow['1'],
      '2': {
        class_type: 'SaveImage',
        inputs: { images: ['1', 0], filename_prefix: 'n' },
        _meta: { title: 'Keep' },
      },
    };
    const other = await DispatchCaller.register(gateway.url, 'learner@example.com');
    for (const color of [1, 2, 3, 4, 5]) {
      const { id } = await other.submit({ workflow: graph, params: { '1.color': color } });
      expect(await other.ended(id)).toMatchObject({ status: 'completed' });
    }
    const { id } = await admin.submit({ workflow: graph, params: { '1.color': 5 } });
    await admin.ended(id);
    const { items, usual } = await nodesOf(id);
    expect(items.map(({ cached }: Node) => cached)).toContain(true);
    const seconds = expect.any(Number);
    expect(usual).toEqual([
      { node: '1', title: 'EmptyImage', seconds },
      { node: '2', title: 'Keep', seconds },
    ]);
    const { nextCursor } = await nodesOf(id, '?limit=1');
    expect((await nodesOf(id, `?limit=1&cursor=${nextCursor}`)).usual).toEqual([]);
    const unknown = await admin.submit({ workflow: { ...graph, '3': graph['2'] } });
    expect((await nodesOf(unknown.id)).usual).toEqual([]);
  });

  it('are those of the owner alone, and an unknown field of the query is named', async () => {
    const other = await DispatchCaller.register(gateway.url, 'other@example.com');
    const { id } = await admin.submit({ workflow });
    const foreign = await other.request('GET', `/api/tasks/${id}/nodes`);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'task_not_found' } });
    const unknown = await admin.request('GET', `/api/tasks/${id}/nodes?limt=2`);
    expect(unknown.status).toBe(422);
    expect(JSON.stringify(unknown.body)).toContain('query.limt');
  });
});

interface Node {
  attempt: number;
  node: string;
  title: string;
  class: string;
  startedAt: string;
  endedAt: string;
  cached: boolean;
  state: string;
}

describe('the nodes of a task that is tried again', () => {
  let pool: DispatchPool;

  afterEach(() => pool.close());

  it('are kept for each attempt, with the node that failed', async () => {
    pool = await startPool();
    const [worker] = pool.workers;
    let failures = 0;
    if (worker) worker.fails = () => (failures++ === 0 ? { node_id: '2', exception_message: 'no' } : null);
    const { id } = await pool.user.submit({ workflow: anyWorkflow, retry: 'on_error' });
    expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 2 });
    const { items } = (await pool.user.call('GET', `/api/tasks/${id}/nodes`)).data;
    expect(items.map(({ attempt, node, state }: Node) => [attempt, node, state])).toEqual([
      [1, '1', 'finished'],
      [1, '2', 'failed'],
      [2, '1', 'finished'],
      [2, '2', 'finished'],
    ]);
  });
});
