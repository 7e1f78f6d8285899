import { afterEach, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

const basic = ['EmptyImage', 'SaveImage'];
const withUpscaler = [...basic, 'Upscaler', 'Loader'];
const workflow = {
  ...anyWorkflow,
  '3': { class_type: 'Upscaler', inputs: { image: ['1', 0] } },
  '4': { class_type: 'Loader', inputs: { model: 'flux.safetensors' } },
};
const models = { 'Loader.model': ['flux.safetensors'] };
const noMemory = { node_id: '1', exception_type: 'torch.OutOfMemoryError', exception_message: 'no memory' };

interface Reason {
  code: string;
  message: string;
  until: string | null;
  missing: string[];
}

interface Outlook {
  instanceId: string;
  couldRun: boolean;
  reasons: Reason[];
}

let pool: DispatchPool;

afterEach(() => pool.close());

const addressOf = (index: number) => `127.0.0.1:${pool.workers[index]?.port}`;
const whyOf = async (taskId: string, who: DispatchCaller = pool.user) =>
  (await who.call('GET', `/api/tasks/${taskId}/why`)).data;
const reasonsOf = ({ instances }: { instances: Outlook[] }, index: number): Reason[] | undefined =>
  instances.find(({ instanceId }) => instanceId === addressOf(index))?.reasons;
const codesOf = (why: { instances: Outlook[] }, index: number): string[] | undefined =>
  reasonsOf(why, index)?.map(({ code }) => code);
const executing = (taskId: string, who: DispatchCaller = pool.user) =>
  who.until(
    () => who.task(taskId),
    ({ phase }) => phase === 'executing',
  );
const setEnabled = (index: number, enabled: boolean) =>
  pool.admin.call('PUT', `/api/instances/${addressOf(index)}`, { enabled });

describe('three workers, of which one lacks a node and a model, one is cooling and one is switched off', () => {
  const [lacking, cooling, off] = [0, 1, 2];

  /** Returns a task that waits, after the same user's task has failed on the second worker. */
  async function waitingTask(): Promise<{ id: string; failedId: string }> {
    pool = await startPool({
      workers: [
        { ...held, nodeClasses: basic },
        { ...held, nodeClasses: withUpscaler, models },
        { ...held, nodeClasses: withUpscaler, models },
      ],
      executionTimeouts: { avoidMs: 3_600_000 },
    });
    await setEnabled(off, false);
    const worker = pool.workers[cooling];
    if (!worker) throw new Error('There is no second worker.');
    worker.fails = () => noMemory;
    const failed = await pool.user.submit({ workflow, retry: 'never' });
    await executing(failed.id);
    worker.finishRun();
    await pool.user.ended(failed.id);
    worker.fails = () => null;
    return { ...(await pool.user.submit({ workflow })), failedId: failed.id };
  }

  it('are each named with their reason, and the rows say the same', async () => {
    const { id, failedId } = await waitingTask();
    const why = await whyOf(id);
    expect(reasonsOf(why, lacking)).toEqual([
      expect.objectContaining({ code: 'lacks', missing: ['Loader', 'Upscaler'] }),
    ]);
    expect(codesOf(why, cooling)).toEqual(['cooling']);
    expect(codesOf(why, off)).toEqual(['off']);
    expect(why).toMatchObject({
      status: 'pending',
      position: 1,
      ahead: { total: 0, own: 0, others: 0, higherPriority: 0, competing: 0 },
      totals: { instances: 3, couldRun: 0, free: 0 },
      runsOn: null,
      eta: null,
    });
    expect(why.waiting).toMatch(/^It is next\. No instance could run it now: /);
    expect(why.help).toEqual([
      `Test (${addressOf(off)}) is switched off.`,
      `Test (${addressOf(lacking)}) lacks the node Loader and the node Upscaler.`,
    ]);
    const { capabilities } = await pool.admin.instance(pool.workers[lacking]?.port ?? 0);
    expect(capabilities.nodeClasses).toEqual(basic);
    const { enabled, state } = await pool.admin.instance(pool.workers[off]?.port ?? 0);
    expect({ enabled, state }).toEqual({ enabled: false, state: 'off' });
    const { attempts } = await pool.user.task(failedId);
    expect(attempts).toMatchObject([{ instanceId: addressOf(cooling), outcome: 'worker_error' }]);
    const untilMs = Date.parse(reasonsOf(why, cooling)?.[0]?.until ?? '');
    expect(untilMs).toBeGreaterThan(Date.parse(attempts[0].endedAt));
    expect(await pool.user.task(id)).toMatchObject({ waiting: why.waiting, position: 1 });
    const { items } = (await pool.user.call('GET', '/api/tasks?status=pending')).data;
    expect(items).toMatchObject([{ id, waiting: why.waiting, eta: null }]);
  });

  const changes: [change: string, index: number, make: () => Promise<unknown>][] = [
    [
      'gets the node and the model',
      lacking,
      async () => {
        const worker = pool.workers[lacking];
        if (worker) [worker.nodeClasses, worker.models] = [withUpscaler, models];
        await pool.admin.call('POST', `/api/instances/${addressOf(lacking)}/test`);
      },
    ],
    [
      'runs such a task well',
      cooling,
      async () => {
        const { id } = await pool.admin.submit({ workflow });
        await executing(id, pool.admin);
        pool.workers[cooling]?.finishRun();
        await pool.admin.ended(id);
      },
    ],
    ['is switched on', off, () => setEnabled(off, true)],
  ];

  it.each(changes)(
    'once one %s, it takes the task, and the others keep their reasons',
    async (_, index, make) => {
      const { id } = await waitingTask();
      const before = await whyOf(id);
      await make();
      await executing(id);
      expect(await whyOf(id)).toMatchObject({
        waiting: expect.stringMatching(/^It does not wait: it runs on Test /),
        runsOn: { instanceId: addressOf(index) },
        position: null,
        instances: [],
      });
      const next = await pool.user.submit({ workflow });
      const after = await whyOf(next.id);
      expect(codesOf(after, index)).toEqual(['busy']);
      expect(after.totals).toEqual({ instances: 3, couldRun: 1, free: 0 });
      expect(after.waiting).toBe('It is next. 1 instance could run it and works on another task.');
      for (const other of [lacking, cooling, off].filter((each) => each !== index)) {
        expect(reasonsOf(after, other)).toMatchObject([{ code: codesOf(before, other)?.[0] }]);
      }
      expect(await whyOf(id)).toMatchObject({ status: 'running' });
    },
  );
});

describe('what a task waits for', () => {
  it('includes what is ahead of it as numbers, and nothing about the tasks of other users', async () => {
    pool = await startPool({ workers: [held] });
    const running = await pool.admin.submit({ workflow: anyWorkflow, name: 'secret-name' });
    await executing(running.id, pool.admin);
    const urgent = await pool.admin.submit({ workflow: anyWorkflow, priority: 5 });
    const others = [await pool.admin.submit({ workflow: anyWorkflow })];
    const own = await pool.user.submit({ workflow: anyWorkflow });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const why = await whyOf(id);
    const { items } = (await pool.admin.call('GET', '/api/tasks?status=pending')).data;
    expect(items).toHaveLength(why.ahead.total + 1);
    expect(why.ahead).toEqual({ total: 3, higherPriority: 1, own: 1, others: 1, competing: 3 });
    expect(why.position).toBe(4);
    expect(why.waiting).toMatch(
      /^3 tasks are ahead of it\. 1 instance could run it and works on another task\.$/,
    );
    const text = JSON.stringify(why);
    for (const foreign of [running, urgent, ...others]) expect(text).not.toContain(foreign.id);
    expect(text).not.toContain(running.owner);
    expect(text).not.toContain('secret-name');
    expect(text).not.toContain(own.id);
  });

  it('counts as competing only what needs an instance that could run it', async () => {
    pool = await startPool({
      workers: [
        { ...held, nodeClasses: basic },
        { ...held, nodeClasses: withUpscaler },
      ],
    });
    const [first, second] = [
      await pool.user.submit({ workflow: anyWorkflow, instanceId: addressOf(0) }),
      await pool.user.submit({ workflow: anyWorkflow, instanceId: addressOf(1) }),
    ];
    await Promise.all([executing(first.id), executing(second.id)]);
    await pool.user.submit({ workflow: anyWorkflow, instanceId: addressOf(0) });
    const { id } = await pool.user.submit({ workflow: anyWorkflow, instanceId: addressOf(1) });
    const why = await whyOf(id);
    expect(why.ahead).toMatchObject({ total: 1, own: 1, competing: 0 });
    expect(codesOf(why, 0)).toEqual(['not_targeted']);
    expect(codesOf(why, 1)).toEqual(['busy']);
  });

  it('is a pause while there is one, with its reason', async () => {
    pool = await startPool();
    await pool.admin.call('POST', '/api/queue/pause', { scope: 'all', reason: 'New drivers' });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const why = await whyOf(id);
    expect(why.waiting).toBe('It is next. The queue is paused by an administrator: New drivers.');
    expect(codesOf(why, 0)).toEqual(['paused']);
    const pause = { scope: 'all', target: null, by: 'administrator', reason: 'New drivers' };
    expect(why.pause).toMatchObject(pause);
    expect(why.instances[0].reasons[0].pause).toMatchObject(pause);
    const { items } = (await pool.user.call('GET', '/api/tasks')).data;
    expect(items[0]).toMatchObject({
      waiting: why.waiting,
      waitingSentences: [
        { code: 'next', values: {} },
        { code: 'queue_paused_why', values: { reason: 'New drivers' } },
      ],
    });
    expect(why.totals).toMatchObject({ couldRun: 0 });
    await pool.admin.call('POST', '/api/queue/resume', { scope: 'all' });
    await pool.user.ended(id);
    expect((await whyOf(id)).waiting).toMatch(/^It does not wait: it was completed at /);
  });

  it('is somebody else’s work while the worker has some, and a worker that is gone', async () => {
    pool = await startPool({ workers: [held] });
    const [worker] = pool.workers;
    await fetch(`http://${addressOf(0)}/prompt`, {
      method: 'POST',
      body: JSON.stringify({ prompt: anyWorkflow, client_id: 'somebody', prompt_id: 'theirs' }),
    });
    await pool.admin.until(
      () => pool.admin.instance(worker?.port ?? 0),
      ({ state }) => state === 'busy',
    );
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    const busy = await whyOf(id);
    expect(codesOf(busy, 0)).toEqual(['used_by_others']);
    expect(busy.help).toEqual([`Test (${addressOf(0)}) is busy with somebody else’s work.`]);
    await worker?.close();
    await pool.admin.until(
      () => pool.admin.instance(worker?.port ?? 0),
      ({ state }) => state === 'unreachable',
    );
    expect(codesOf(await whyOf(id), 0)).toEqual(['unreachable']);
  });

  it('is the switch of each instance when all are switched off', async () => {
    pool = await startPool({ workers: [held] });
    await setEnabled(0, false);
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    expect((await whyOf(id)).waiting).toBe('It is next. Every instance that could run it is switched off.');
  });

  it('names the instances that have never answered, and what to try', async () => {
    pool = await startPool({ workers: [] });
    const instances = [{ ip: '127.0.0.1', port: 9 }];
    const servers = [{ id: 'test', name: 'Test', kind: 'comfyui', instances }];
    await pool.admin.call('PUT', '/api/config', { servers, healthCheck: { interval: 1 } });
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await pool.admin.until(
      () => pool.admin.instance(9),
      ({ state }) => state === 'unreachable',
    );
    const why = await whyOf(id);
    expect(why.instances[0].reasons.map(({ code }: Reason) => code)).toEqual(['unreachable']);
    expect(why.waiting).toBe(
      'It is next. No answer from Test (127.0.0.1:9). Check that ComfyUI runs there and that the address is right.',
    );
  });

  it('is 404 for another user and for a task that there is not, and says why an ended task does not wait', async () => {
    pool = await startPool();
    const { id } = await pool.user.submit({ workflow: anyWorkflow });
    await pool.user.ended(id);
    const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
    for (const path of [`/api/tasks/${id}/why`, '/api/tasks/nothing/why']) {
      const foreign = await other.request('GET', path);
      expect(foreign).toMatchObject({ status: 404, body: { error: 'task_not_found' } });
    }
    expect((await pool.user.request('GET', `/api/tasks/${id}/why?wiat=1`)).status).toBe(422);
    expect(await whyOf(id, pool.admin)).toMatchObject({ status: 'completed', position: null, eta: null });
  });
});

describe('an estimate', () => {
  it('is there once five tasks with the same graph were completed, and never names a time that has passed', async () => {
    pool = await startPool({ workers: [{ runMs: 20 }] });
    const [worker] = pool.workers;
    const submit = (color: number) =>
      pool.user.submit({ workflow: anyWorkflow, params: { '1.color': color } });
    for (let done = 0; done < 5; done += 1) await pool.user.ended((await submit(done)).id);
    if (worker) worker.behaviour = { ...worker.behaviour, ...held };
    const running = await submit(10);
    await executing(running.id);
    const { id } = await submit(11);
    const askedMs = Date.now();
    const { eta } = await whyOf(id);
    expect(Date.parse(eta.from)).toBeGreaterThan(askedMs);
    expect(Date.parse(eta.to)).toBeGreaterThanOrEqual(Date.parse(eta.from));
    const { items } = (await pool.user.call('GET', '/api/tasks?status=pending')).data;
    expect(Date.parse(items[0].eta.to)).toBeGreaterThan(askedMs);
    // It is held for longer than such tasks take.
    await expect.poll(async () => (await whyOf(running.id)).eta).toBeNull();
    const other = await pool.user.submit({
      workflow: { ...anyWorkflow, '9': { class_type: 'EmptyImage', inputs: {} } },
    });
    expect((await whyOf(other.id)).eta).toBeNull();
  });
});
