import { randomUUID } from 'node:crypto';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ComfyuiCaller } from './support/comfyui-caller.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

const pictures = {
  '1': { class_type: 'EmptyImage', inputs: { width: 16, height: 16, batch_size: 2, color: 255 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'job' } },
};

interface Job {
  id: string;
  status: string;
}
const idsOf = ({ jobs }: { jobs: Job[] }) => jobs.map(({ id }) => id);

describe('jobs of a client of ComfyUI that have ended', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let admin: DispatchCaller;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;
  const ran: string[] = [];
  const info = { workflow: { id: 'flow-1', nodes: [] } };

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    ada = await ComfyuiCaller.byAddress(gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.byAddress(gateway.url, 'bob@example.com');
    const listener = await ada.listen('page');
    for (let index = 0; index < 3; index += 1) {
      const extra = index === 1 ? { extra_pnginfo: info, api_key_comfy_org: 'comfyui-secret' } : {};
      const fields = { client_id: 'page', prompt_id: randomUUID(), extra_data: extra };
      const promptId = await ada.queue(pictures, fields);
      await listener.settled(promptId);
      ran.push(promptId);
    }
    listener.close();
  });
  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  it('are listed in the form that the page checks, the newest first', async () => {
    const list = await ada.get('/api/jobs?status=completed,failed,cancelled&limit=200&offset=0');
    expect(idsOf(list)).toEqual(ran.toReversed());
    expect(list.pagination).toEqual({ offset: 0, limit: 200, total: 3, has_more: false });
    expect(list.jobs[1]).toEqual({
      id: ran[1],
      status: 'completed',
      priority: expect.any(Number),
      create_time: expect.any(Number),
      execution_start_time: expect.any(Number),
      execution_end_time: expect.any(Number),
      outputs_count: 2,
      previewable_outputs_count: 2,
      preview_output: {
        filename: expect.stringMatching(/^job/),
        subfolder: expect.any(String),
        type: 'output',
        nodeId: '2',
        mediaType: 'images',
      },
      workflow_id: 'flow-1',
    });
    const { filename, subfolder, type } = list.jobs[1].preview_output;
    const query = new URLSearchParams({ filename, subfolder, type });
    expect((await ada.fetch(`/view?${query}`)).status).toBe(200);
    expect(await bob.get('/jobs')).toMatchObject({ jobs: [], pagination: { total: 0 } });
  });

  it('are listed by pages, states, workflows and orders', async () => {
    const page = await ada.get('/jobs?limit=2&offset=1&sort_order=asc');
    expect(idsOf(page)).toEqual([ran[1], ran[2]]);
    expect(page.pagination).toEqual({ offset: 1, limit: 2, total: 3, has_more: false });
    expect((await ada.get('/jobs?limit=1')).pagination.has_more).toBe(true);
    expect(idsOf(await ada.get('/jobs?workflow_id=flow-1'))).toEqual([ran[1]]);
    expect(idsOf(await ada.get('/jobs?status=pending,in_progress'))).toEqual([]);
    const took = ({ execution_end_time: end, execution_start_time: start }: Record<string, number>) =>
      (end ?? 0) - (start ?? 0);
    const { jobs } = await ada.get('/jobs?sort_by=execution_duration&sort_order=asc');
    const durations: number[] = jobs.map(took);
    expect(durations).toEqual(durations.toSorted((a, b) => a - b));
    for (const wrong of ['status=done', 'sort_by=x', 'sort_order=up', 'limit=0', 'limit=x', 'offset=-5']) {
      const answer = await ada.fetch(`/jobs?${wrong}`);
      expect([wrong, answer.status, await answer.json()]).toEqual([
        wrong,
        400,
        { error: expect.any(String) },
      ]);
    }
  });

  it('are shown with graph, workflow and outputs, and without the keys of an account', async () => {
    const job = await ada.get(`/api/jobs/${ran[1]}`);
    expect(job).toMatchObject({
      id: ran[1],
      status: 'completed',
      execution_status: { status_str: 'success', completed: true },
      workflow: { prompt: pictures, extra_data: { extra_pnginfo: info, create_time: expect.any(Number) } },
    });
    expect(job.outputs['2'].images).toHaveLength(2);
    expect(job.workflow.extra_data).not.toHaveProperty('api_key_comfy_org');
    expect(JSON.stringify(job)).not.toContain('comfyui-secret');
    for (const [caller, id] of [
      [bob, ran[1]],
      [ada, randomUUID()],
      [ada, 'x'],
    ] as const) {
      const answer = await caller.fetch(`/jobs/${id}`);
      expect([answer.status, await answer.json()]).toEqual([404, { error: 'Job not found' }]);
    }
  });

  it('leave the history of their account when it says so, and stay in the record of the pool', async () => {
    const forget = (body: unknown, caller = ada) => caller.post('/history', body);
    const left = async (): Promise<string[]> => [
      ...Object.keys(await ada.get('/history')),
      ...idsOf(await ada.get('/jobs')),
    ];
    expect((await forget({ clear: true, delete: [ran[0]] }, bob)).status).toBe(200);
    expect(await left()).toHaveLength(6);
    const one = await forget({ delete: [ran[0], randomUUID(), 'x'] });
    expect([one.status, await one.text()]).toEqual([200, '']);
    expect(await left()).toEqual([ran[1], ran[2], ran[2], ran[1]]);
    expect(await ada.get(`/history/${ran[0]}`)).toEqual({});
    expect((await ada.fetch(`/jobs/${ran[0]}`)).status).toBe(404);
    expect((await forget({ clear: true })).status).toBe(200);
    expect(await left()).toEqual([]);
    const again = await ada.queue(pictures, { client_id: 'page' });
    await expect.poll(left).toEqual([again, again]);
    expect((await admin.request('GET', '/api/tasks?limit=10')).body.data.total).toBe(4);
    for (const wrong of [[1], { delete: 'x' }, { delete: [1] }])
      expect((await forget(wrong)).status).toBe(400);
  });
});

describe('jobs of a client of ComfyUI that wait or run', () => {
  let pool: DispatchPool;
  let ada: ComfyuiCaller;
  let bob: ComfyuiCaller;

  beforeAll(async () => {
    pool = await startPool({ workers: [held] });
    ada = await ComfyuiCaller.byAddress(pool.gateway.url, 'ada@example.com');
    bob = await ComfyuiCaller.byAddress(pool.gateway.url, 'bob@example.com');
  });
  afterAll(() => pool.close());

  const states = async (caller: ComfyuiCaller) => {
    const { jobs } = (await caller.get('/jobs')) as { jobs: Job[] };
    return Object.fromEntries(jobs.map(({ id, status }) => [id, status]));
  };
  const cancel = async (caller: ComfyuiCaller, body: unknown) => {
    const answer = await caller.post('/jobs/cancel', body);
    return [answer.status, await answer.json()] as const;
  };

  it('have their state, and are stopped by their account alone', async () => {
    const listener = await ada.listen('page');
    const running = await ada.queue(anyWorkflow, { client_id: 'page' });
    await listener.next(({ type, data }) => type === 'execution_start' && data.prompt_id === running);
    const [first, second, third] = [
      await ada.queue(anyWorkflow),
      await ada.queue(anyWorkflow),
      await ada.queue(anyWorkflow),
    ];
    expect(await states(ada)).toEqual({
      [third]: 'pending',
      [second]: 'pending',
      [first]: 'pending',
      [running]: 'in_progress',
    });
    expect(idsOf(await ada.get('/jobs?status=in_progress'))).toEqual([running]);
    expect(idsOf(await ada.get('/jobs?status=pending&sort_order=asc'))).toEqual([first, second, third]);
    const open = await ada.get(`/jobs/${running}`);
    expect(open).toMatchObject({ status: 'in_progress', outputs: {}, workflow: { prompt: anyWorkflow } });
    expect(open).not.toHaveProperty('execution_status');

    const stop = async (caller: ComfyuiCaller, id: string) =>
      (await caller.post(`/api/jobs/${id}/cancel`, {})).json();
    expect(await stop(bob, running)).toEqual({ cancelled: false });
    expect(await stop(ada, first)).toEqual({ cancelled: true });
    expect(await stop(ada, first)).toEqual({ cancelled: false });
    expect(await stop(ada, randomUUID())).toEqual({ cancelled: false });
    expect(await cancel(bob, { job_ids: [second] })).toEqual([200, { cancelled: [] }]);
    const unknown = randomUUID();
    expect(await cancel(ada, { job_ids: [second, unknown] })).toEqual([200, { cancelled: [second] }]);
    const invalid = { error: expect.any(String), invalid_ids: ['x', 5] };
    expect(await cancel(ada, { job_ids: [third, 'x', 5] })).toEqual([400, invalid]);
    for (const wrong of [{}, [], { job_ids: [] }, { job_ids: Array(101).fill(unknown) }])
      expect(await cancel(ada, wrong)).toEqual([400, { error: expect.any(String) }]);

    expect(await stop(ada, running)).toEqual({ cancelled: true });
    await listener.settled(running);
    // A prompt that never ran leaves no trace.
    await expect.poll(() => states(ada)).toEqual({ [third]: 'in_progress', [running]: 'cancelled' });
    expect((await ada.get(`/jobs/${running}`)).execution_status.status_str).toBe('error');
    expect(await cancel(ada, { job_ids: [third] })).toEqual([200, { cancelled: [third] }]);
    listener.close();
  });
});
