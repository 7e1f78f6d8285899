import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

/** What the table of docs/guide/comfyui-clients.md says and the tests of the single calls do not. */
describe('what a client notices that the pool is not one ComfyUI', () => {
  let gateway: DevGateway;
  const workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];
  let ada: ComfyuiCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    for (let count = 0; count < 2; count += 1) workers.push(await startReferenceWorker());
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers(workers.map(({ port }) => port));
    ada = await ComfyuiCaller.register(gateway.url, 'ada@example.com');
  });
  afterAll(async () => {
    await gateway.stop();
    for (const worker of workers) await worker.close();
  });

  it('names outputs by an id as their subfolder, and takes uploads into one flat folder', async () => {
    const listener = await ada.listen('x');
    const promptId = await ada.queue(anyWorkflow, { client_id: 'x' });
    const frames = await listener.settled(promptId);
    const [image] = frames.find(({ type }) => type === 'executed').data.output.images;
    expect(image.subfolder).toMatch(/^[\w-]{22}$/);
    listener.close();
    const names = [];
    for (const subfolder of ['one', 'two'])
      names.push((await ada.upload('a.txt', Buffer.from(subfolder), { subfolder })).name);
    expect(names).toEqual(['a.txt', 'a (1).txt']);
  });

  it('has the tasks of the account in its history that came by another way', async () => {
    const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ workflow: anyWorkflow });
    const answer = await gateway.fetch('/api/tasks', { method: 'POST', headers, body });
    const { data } = (await answer.json()) as { data: { id: string } };
    await expect.poll(async () => Object.keys(await ada.get('/history'))).toContain(data.id);
    const { jobs } = await ada.get('/jobs?status=completed');
    expect(jobs.map(({ id }: { id: string }) => id)).toContain(data.id);
  });
});

describe('a queue of the pool', () => {
  let pool: DispatchPool;
  let ada: ComfyuiCaller;

  beforeAll(async () => {
    pool = await startPool({ workers: [held] });
    ada = await ComfyuiCaller.byAddress(pool.gateway.url, 'ada@example.com');
  });
  afterAll(() => pool.close());

  const pending = async (): Promise<[number, string, object][]> => (await ada.get('/queue')).queue_pending;
  const send = (fields: object = {}) => ada.queue(anyWorkflow, fields);

  it('moves what goes first before the prompts of its account that wait, and no other number', async () => {
    const listener = await ada.listen('x');
    const running = await send({ client_id: 'x' });
    await listener.next(({ type, data }) => type === 'execution_start' && data.prompt_id === running);
    listener.close();
    const [first, second] = [await send(), await send({ number: 5 })];
    const front = await send({ front: true });
    const negative = await send({ number: -1 });
    const listed = (await pending()).map(([, id]) => id);
    expect(listed.toSorted()).toEqual([first, second, front, negative].toSorted());
    pool.workers[0]?.finishRun();
    const ran: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const isNew = (id: string | undefined) => id !== undefined && id !== running && !ran.includes(id);
      await expect.poll(async () => isNew((await ada.get('/queue')).queue_running[0]?.[1])).toBe(true);
      ran.push((await ada.get('/queue')).queue_running[0][1]);
      pool.workers[0]?.finishRun();
    }
    expect(ran).toEqual([negative, front, first, second]);
  });

  it('shows the graphs of its first hundred prompts, and the ids of all', async () => {
    for (let count = 0; count < 103; count += 1) await send();
    const listed = await pending();
    expect(listed.length).toBeGreaterThan(100);
    expect(listed.slice(0, 100).every(([, , graph]) => Object.keys(graph).length === 2)).toBe(true);
    expect(listed.slice(100).every(([, , graph]) => Object.keys(graph).length === 0)).toBe(true);
  });

  it('fails a prompt with a value that only the node itself refuses, when a worker has it', async () => {
    const other = await startPool({ workers: [{}] });
    const bob = await ComfyuiCaller.byAddress(other.gateway.url, 'bob@example.com');
    const [worker] = other.workers;
    if (!worker) throw new Error('The pool has no worker.');
    worker.fails = () => ({ node_id: '2', node_type: 'SaveImage', exception_message: 'no such folder' });
    const listener = await bob.listen('x');
    const promptId = await bob.queue(anyWorkflow, { client_id: 'x' });
    const frames = await listener.settled(promptId);
    expect(frames.find(({ type }) => type === 'execution_error').data).toMatchObject({ node_id: '2' });
    const { jobs } = await bob.get('/jobs?status=failed');
    expect(jobs).toMatchObject([
      {
        id: promptId,
        status: 'failed',
        execution_error: { node_id: '2', traceback: [], exception_message: expect.any(String) },
      },
    ]);
    listener.close();
    await other.close();
  });

  it('has the newest 200 prompts in its history, and 200 jobs on a page', async () => {
    const other = await startPool({ workers: [{}, {}, {}, {}] });
    const bob = await ComfyuiCaller.byAddress(other.gateway.url, 'bob@example.com');
    const sent: string[] = [];
    for (let count = 0; count < 203; count += 1) sent.push(await bob.queue(anyWorkflow));
    await expect.poll(async () => (await bob.get('/prompt')).exec_info.queue_remaining).toBe(0);
    const history = Object.keys(await bob.get('/history?max_items=1000'));
    expect(history).toHaveLength(200);
    expect(history).not.toContain(sent[0]);
    expect(history).toContain(sent[202]);
    const { jobs, pagination } = await bob.get('/jobs?limit=1000');
    expect(jobs).toHaveLength(200);
    expect(pagination).toEqual({ offset: 0, limit: 200, total: 203, has_more: true });
    expect((await bob.get('/jobs?limit=1000&offset=200')).jobs).toHaveLength(3);
    await other.close();
  });
});
