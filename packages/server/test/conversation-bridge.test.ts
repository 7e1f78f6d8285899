import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { PoolWorkflows } from '@switchyard/server/ops/pool-workflows';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConversationCaller, says } from './support/conversation-caller.ts';
import type { Frame } from './support/conversation-stream.ts';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { watchful } from './support/dispatch-pool.ts';

const nodeClasses = ['EmptyImage', 'ImageCompositeMasked', 'ImageScale', 'ImageInvert', 'SaveImage'];

let gateway: DevGateway;
let admin: DispatchCaller;
let ada: ConversationCaller;
let adaInDispatch: DispatchCaller;
let closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  gateway = await startGateway({ executionTimeouts: watchful });
  admin = await DispatchCaller.initialize(gateway.url);
  const session = await gateway.register('ada@example.com');
  ada = await ConversationCaller.of(gateway.url, session);
  adaInDispatch = await DispatchCaller.login(gateway.url, 'ada@example.com');
});

afterEach(async () => {
  await gateway.stop();
  for (const close of closing) await close();
  closing = [];
});

describe('a workflow that an agent runs', () => {
  it('runs on a real worker, reports its progress and returns a picture that opens without credentials', async () => {
    const worker = await startReferenceWorker();
    closing.push(() => worker.close());
    await admin.useWorkers([worker.port]);
    const thread = await ada.thread();
    const stream = await ada.stream(thread, {
      assistant_id: 'lead_agent',
      input: says('invert a picture'),
      stream_mode: ['values', 'custom'],
    });
    await stream.rest();

    const custom = dataOf(stream.of('custom'));
    expect(new Set(custom.map(({ type }) => type))).toEqual(
      new Set(['worker_task_progress', 'worker_task_completed']),
    );
    const { files, task_id: taskId, tool_call_id: callId } = custom.at(-1) as unknown as Completed;
    expect(files).toMatchObject([{ content_type: 'image/png' }]);
    const picture = await fetch(files[0]?.url ?? '');
    expect(picture.status, 'without credentials').toBe(200);
    expect([...new Uint8Array(await picture.arrayBuffer()).slice(1, 4)]).toEqual([0x50, 0x4e, 0x47]);

    const { messages, title } = stream.of('values').at(-1)?.data ?? {};
    expect(messages.map(({ type }: { type: string }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(messages[2]).toMatchObject({ status: 'success', tool_call_id: callId });
    expect(JSON.parse(messages[2].content)).toMatchObject({ task_id: taskId, files });
    expect(messages[3].content).toContain(files[0]?.url);
    expect(messages[3].response_metadata).toMatchObject({ model_name: 'switchyard-demo', simulated: true });
    expect(title).toBe('invert a picture');
  });

  it('is a task of the owner of the thread, and task and run name each other', async () => {
    await usePool();
    const thread = await ada.thread();
    const run = await ada.run(thread, { assistant_id: 'lead_agent', input: says('invert a picture') });
    expect(await ada.ended(thread, run.run_id)).toMatchObject({ status: 'success' });

    const { items } = (await adaInDispatch.call('GET', '/api/tasks')).data;
    expect(items).toMatchObject([
      {
        status: 'completed',
        owner: ada.userId,
        name: 'Invert a sample picture',
        conversation: { threadId: thread, runId: run.run_id, toolCallId: expect.stringMatching(/^call_/) },
      },
    ]);
    const { id: taskId, conversation } = items[0];
    const events = await ada.ok(
      'GET',
      `/threads/${thread}/runs/${run.run_id}/events?event_types=worker_task_submitted,worker_task_completed`,
    );
    expect(events).toMatchObject([
      {
        event_type: 'worker_task_submitted',
        metadata: { task_id: taskId, tool_call_id: conversation.toolCallId },
      },
      { event_type: 'worker_task_completed', metadata: { task_id: taskId } },
    ]);
  });

  it('says in the conversation why it failed, and the turn continues', async () => {
    await usePool({ trouble: 'refuse' });
    const thread = await ada.thread();
    const body = { assistant_id: 'lead_agent', input: says('invert a picture'), stream_mode: ['custom'] };
    const stream = await ada.stream(thread, body);
    await stream.rest();

    expect(dataOf(stream.of('custom')).at(-1)).toMatchObject({
      type: 'worker_task_failed',
      error: { code: expect.any(String) },
    });
    const { messages } = (await ada.ok('GET', `/threads/${thread}/state`)).values;
    expect(messages[2]).toMatchObject({ type: 'tool', status: 'error' });
    expect(messages[3].content).toContain('That did not work.');
  });

  it('is not started when nothing of the run would be on disk before its end', async () => {
    await usePool();
    const values = await ada.wait(await ada.thread(), {
      assistant_id: 'lead_agent',
      input: says('invert a picture'),
      durability: 'exit',
    });

    expect(values.messages[2]).toMatchObject({
      status: 'error',
      content: expect.stringContaining('durability_too_late'),
    });
    expect((await adaInDispatch.call('GET', '/api/tasks')).data.items).toEqual([]);
  });

  it('that no worker can run is refused in words that the agent can use', async () => {
    await usePool({ nodeClasses: ['SaveImage'] });
    const values = await ada.wait(await ada.thread(), {
      assistant_id: 'lead_agent',
      input: says('invert a picture'),
    });

    expect(values.messages[2]).toMatchObject({
      status: 'error',
      content: expect.stringContaining('no_capable_instance'),
    });
    expect(values.messages[2].content).toContain('ImageInvert');
  });

  it('is cancelled with its run', async () => {
    const [worker] = await usePool({ runMs: 60_000 });
    const thread = await ada.thread();
    const stream = await ada.stream(thread, {
      assistant_id: 'lead_agent',
      input: says('invert a picture'),
      stream_mode: ['custom'],
    });
    const { task_id: taskId } = (await stream.until(({ event }) => event === 'custom')).data;
    await ada.until(
      async () => worker?.stats.accepted,
      (accepted) => accepted === 1,
    );
    const { run_id: runId } = stream.of('metadata')[0]?.data ?? {};
    await ada.ok('POST', `/threads/${thread}/runs/${runId}/cancel?wait=1`);

    expect(await adaInDispatch.ended(taskId)).toMatchObject({
      status: 'failed',
      error: { code: 'cancelled' },
    });
    expect(await ada.ok('GET', `/threads/${thread}/runs/${runId}`)).toMatchObject({ status: 'interrupted' });
  });

  it('is the same task for the same call, even if its files have changed', async () => {
    await usePool();
    const { dispatch } = gateway.context;
    if (!dispatch) throw new Error('This gateway has a pool.');
    const pool = new PoolWorkflows({
      ...dispatch,
      links: { to: () => '' },
      approvals: null,
      traceOfCall: null,
    });
    const call = { threadId: 't1', runId: 'r1', toolCallId: 'c1', agent: 'a', idempotencyKey: 'r1:c1' };
    const workflow = { '1': { class_type: 'SaveImage', inputs: {} } };
    const order = { ...call, userId: ada.userId, workflow, name: null, params: { '1.images': '/mnt/x.png' } };
    const gone = async () => {
      throw new Error('The file is gone.');
    };

    const first = await pool.submit({ ...order, paramsToSubmit: async () => ({ '1.images': 'x' }) });
    expect(await pool.submit({ ...order, paramsToSubmit: gone })).toEqual(first);
    await expect(pool.submit({ ...order, params: {}, paramsToSubmit: gone })).rejects.toMatchObject({
      code: 'idempotency_mismatch',
    });
  });

  it('lists the workers of the pool to an agent that asks for them', async () => {
    await usePool();
    const values = await ada.wait(await ada.thread(), {
      assistant_id: 'lead_agent',
      input: says('list instances'),
    });

    expect(values.messages.at(-1).content).toMatch(/^Workers of the pool:\n- .+: (idle|checking)$/);
  });
});

interface Completed {
  task_id: string;
  tool_call_id: string;
  files: { url: string }[];
}

async function usePool(
  behaviour: NonNullable<Parameters<typeof FakeWorker.start>[0]> = {},
): Promise<FakeWorker[]> {
  const worker = await FakeWorker.start({ nodeClasses, outputBytes: 64, ...behaviour });
  closing.push(() => worker.close());
  await admin.useWorkers([worker.port]);
  await admin.until(
    async () => (await admin.instance(worker.port))?.state,
    (state) => state === 'idle',
  );
  return [worker];
}

function dataOf(frames: Frame[]): { type: string }[] {
  return frames.map(({ data }) => data);
}
