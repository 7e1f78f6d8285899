import { afterEach, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

const basic = ['EmptyImage', 'SaveImage'];
const withLoader = [...basic, 'Loader'];
const workflow = {
  ...anyWorkflow,
  '4': { class_type: 'Loader', inputs: { model: 'flux.safetensors', strength: 1 } },
};
const models = { 'Loader.model': ['flux.safetensors'] };
const price = { conversation: { workflow_price_per_hour: 3_600, workflow_price_currency: 'EUR' } };

let pool: DispatchPool;

afterEach(() => pool.close());

it('says which instances could run a workflow and what the others lack, also for another value', async () => {
  pool = await startPool({
    workers: [
      { nodeClasses: basic },
      { nodeClasses: withLoader, models },
      { nodeClasses: withLoader, models },
    ],
  });
  await pool.admin.call('PUT', `/api/instances/127.0.0.1:${pool.workers[2]?.port}`, { enabled: false });
  const id = await save();

  const ask = async () => (await pool.user.call('POST', `/api/workflows/${id}/outlook`, {})).data;
  // An instance that has not told yet what it has cannot be judged.
  await expect.poll(async () => codesOf(await ask())).not.toContain('checking');
  const data = await ask();
  expect(data).toMatchObject({
    totals: { instances: 3, couldRun: 1, free: 1 },
    seconds: null,
    cost: null,
  });
  expect(data.instances[0].couldRun).toBe(true);
  expect(codesOf(data).sort()).toEqual(['lacks', 'off']);

  const other = await pool.user.call('POST', `/api/workflows/${id}/outlook`, {
    params: { model: 'sdxl.safetensors', strength: 'not yet a number' },
  });
  const named = data.instances.find(({ couldRun }: { couldRun: boolean }) => couldRun).serverName;
  expect(data).toMatchObject({ instead: [], queueFull: null });
  expect(other.data).toMatchObject({
    totals: { couldRun: 0 },
    instead: [{ model: 'sdxl.safetensors', instances: [named], models: ['flux.safetensors'] }],
  });
});

it('says how long it takes and what it costs, from the fifth task on', async () => {
  pool = await startPool({ config: price });
  const id = await save(anyWorkflow);
  const run = async () => {
    const { data } = await pool.user.call('POST', `/api/workflows/${id}/run`, {});
    await pool.user.ended(data.id);
  };
  const ask = async () => (await pool.user.call('POST', `/api/workflows/${id}/outlook`, {})).data;
  for (let count = 0; count < 4; count += 1) await run();
  expect(await ask()).toMatchObject({ seconds: null, cost: null });
  await run();
  // An answer is remembered for a few seconds.
  await expect.poll(ask).toMatchObject({ seconds: { low: expect.any(Number) } });
  const { seconds, cost } = await ask();
  expect(seconds.high).toBeGreaterThanOrEqual(seconds.low);
  expect(cost).toEqual({
    low: expect.closeTo(seconds.low, 6),
    high: expect.closeTo(seconds.high, 6),
    currency: 'EUR',
  });
});

it('says the highest priority that the caller may give, which a run with it keeps to', async () => {
  pool = await startPool({ config: { dispatch: { max_member_priority: 7 } } });
  const graph = { name: 'portrait', workflow: anyWorkflow };
  for (const [caller, maxPriority] of [
    [pool.user, 7],
    [pool.admin, 100],
  ] as const) {
    const { data: saved } = await caller.call('POST', '/api/workflows', graph);
    const { data } = await caller.call('POST', `/api/workflows/${saved.id}/outlook`, {});
    expect(data).toMatchObject({ maxPriority });
    const run = async (priority: number) =>
      (await caller.request('POST', `/api/workflows/${saved.id}/run`, { body: { priority } })).status;
    expect(await run(maxPriority)).toBe(200);
    expect(await run(maxPriority + 1)).toBe(422);
  }
});

it('is not told to another user, and names an unknown field', async () => {
  pool = await startPool();
  const id = await save(anyWorkflow);
  const other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
  expect((await other.request('POST', `/api/workflows/${id}/outlook`, { body: {} })).status).toBe(404);
  const wrong = await pool.user.request('POST', `/api/workflows/${id}/outlook`, { body: { parms: {} } });
  expect(wrong.status).toBe(422);
  expect(JSON.stringify(wrong.body)).toContain('params');
});

async function save(graph: object = workflow): Promise<string> {
  const { data } = await pool.user.call('POST', '/api/workflows', { name: 'portrait', workflow: graph });
  return data.id;
}

function codesOf({ instances }: { instances: { reasons: { code: string }[] }[] }): string[] {
  return instances.flatMap(({ reasons }) => reasons.map(({ code }) => code));
}
