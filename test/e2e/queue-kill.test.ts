import { HttpSession } from '@switchyard/dev-env/http-session';
import { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Batch {
  id: string;
  state: string;
  total: number;
  done: number;
}

interface Cell {
  taskId: string | null;
}

const folder = temporaryFolder();
let gateway: SpawnedGateway;
let session: HttpSession;

beforeAll(async () => {
  gateway = await SpawnedGateway.start({ home: folder.path });
  const account = { email: 'ada@example.com', password: 'correct horse battery' };
  session = await HttpSession.register(gateway.url, account);
});

afterAll(async () => {
  await gateway?.stop();
  folder.remove();
});

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
};

async function post<Data>(path: string, body: object, headers: Record<string, string> = {}): Promise<Data> {
  return (await session.post<{ data: Data }>(path, body, headers)).data;
}

async function get<Data>(path: string): Promise<Data> {
  return (await session.get<{ data: Data }>(path)).data;
}

const counted = async (status: string) =>
  (await get<{ total: number }>(`/api/tasks?limit=1&status=${status}`)).total;

async function killAndStart(): Promise<void> {
  await gateway.kill9();
  gateway = await SpawnedGateway.start({ home: folder.path });
  session = session.at(gateway.url);
}

describe('a gateway that is killed', () => {
  it('keeps its pauses, and repeats a thousand failed tasks once, also when it dies in the middle', async () => {
    const pause = await post('/api/queue/pause', { scope: 'user', reason: 'wrong seed' });
    for (let sent = 0; sent < 1_000; sent += 50)
      await Promise.all(Array.from({ length: 50 }, () => post('/api/tasks', { workflow })));
    await killAndStart();
    expect((await get<{ pauses: object[] }>('/api/queue')).pauses).toEqual([pause]);
    expect([await counted('pending'), await counted('completed')]).toEqual([1_000, 0]);

    const cancelled = await post<Batch>('/api/task-batches?wait=60', { action: 'cancel', filter: {} });
    expect(cancelled).toMatchObject({ state: 'finished', done: 1_000 });
    const retry = () =>
      post<Batch>(
        '/api/task-batches?wait=0',
        { action: 'retry', filter: { status: 'failed' } },
        { 'idempotency-key': 'once' },
      );
    const { id } = await retry();
    const batch = (wait: number) => get<Batch>(`/api/task-batches/${id}?wait=${wait}`);
    await expect.poll(async () => (await batch(0)).done, { interval: 1 }).toBeGreaterThan(20);
    await killAndStart();
    // It may have finished before the signal arrived: then this says so, and the rest of the test holds as well.
    process.stderr.write(`after the kill: ${(await batch(0)).done} of 1000 copies\n`);
    await expect.poll(async () => (await batch(10)).state).toBe('finished');
    expect(await retry()).toMatchObject({ id, total: 1_000, done: 1_000 });
    expect([await counted('pending'), await counted('completed')]).toEqual([1_000, 0]);

    await post('/api/queue/resume', { scope: 'user' });
    await expect.poll(() => counted('completed')).toBeGreaterThan(0);
    await post('/api/task-batches?wait=60', { action: 'cancel', filter: {} });
  });

  it('goes on with a sweep, and makes each of its tasks once', async () => {
    await post('/api/queue/pause', { scope: 'user', reason: 'a sweep' });
    const before = await counted('pending');
    const { id: workflowId } = await post<{ id: string }>('/api/workflows', { name: 'swept', workflow });
    const range = (param: string) => ({ param, range: { from: 1, to: 20, step: 1 } });
    const axes = [range('width'), range('height')];
    const { id } = await post<{ id: string }>('/api/sweeps', { workflowId, axes });
    const page = (cursor: string) =>
      get<{ items: Cell[]; nextCursor: string | null }>(`/api/sweeps/${id}/cells?limit=200${cursor}`);
    const made = async () => (await counted('pending')) - before;
    await expect.poll(made, { interval: 1 }).toBeGreaterThan(10);
    await killAndStart();
    process.stderr.write(`after the kill: ${await made()} of 400 cells\n`);
    await expect.poll(made).toBe(400);
    const first = await page('');
    const second = await page(`&cursor=${first.nextCursor}`);
    const all = [...first.items, ...second.items];
    expect(new Set(all.map(({ taskId }) => taskId)).size).toBe(400);
    expect(all.every(({ taskId }) => taskId !== null)).toBe(true);
    // A task that belongs to no cell would be one more by now.
    expect(await made()).toBe(400);
    await post(`/api/sweeps/${id}/cancel`, {});
    await expect.poll(made).toBe(0);
  });
});
