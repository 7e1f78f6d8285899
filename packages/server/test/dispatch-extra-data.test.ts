import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { PushListener } from './support/push-listener.ts';

const secret = 'comfyui-0123456789';
const drawn = { nodes: [{ id: 1, type: 'EmptyImage' }], author: 'Grüße' };
const extraData = { extra_pnginfo: { workflow: drawn }, api_key_comfy_org: secret, note: 7 };
const shown = { ...extraData, api_key_comfy_org: '***' };
const save = (prefix: string) => ({
  class_type: 'SaveImage',
  inputs: { images: ['1', 0], filename_prefix: prefix },
});
const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
  '2': save('two'),
  '3': save('three'),
};

describe('what a submission gives the worker besides the workflow', () => {
  let gateway: DevGateway;
  let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
  let user: DispatchCaller;

  beforeAll(async () => {
    gateway = await startGateway();
    worker = await startReferenceWorker();
    const admin = await DispatchCaller.initialize(gateway.url);
    await admin.useWorkers([worker.port]);
    user = await DispatchCaller.register(gateway.url, 'user@example.com');
  });

  afterAll(async () => {
    await gateway.stop();
    await worker.close();
  });

  /** ComfyUI's tuple: number, id, graph, extra data, outputs. */
  const heardBy = async ({ attempts }: { attempts: { promptId: string }[] }) => {
    const promptId = attempts[0]?.promptId ?? '';
    const answer = await fetch(`${worker.url}/history/${promptId}`);
    const history = (await answer.json()) as Record<string, { prompt: unknown[] }>;
    return history[promptId]?.prompt ?? [];
  };

  it('reaches the worker complete, and its PNG metadata is written into the picture', async () => {
    const task = await user.ended((await user.submit({ workflow, extraData })).id);
    expect((await heardBy(task))[3]).toMatchObject(extraData);
    const picture = Buffer.from(await (await fetch(task.result.files[0])).arrayBuffer());
    expect(picture.toString('latin1')).toContain(`tEXtworkflow\0{"nodes":[{"id":1,"type":"EmptyImage"}]`);
  });

  it('is shown without its secrets wherever the task is shown', async () => {
    const listener = await PushListener.open(gateway.url, user.token);
    const submitted = await user.submit({ workflow, extraData });
    expect(submitted.extraData).toEqual(shown);
    const ended = await user.ended(submitted.id);
    expect(ended.extraData).toEqual(shown);
    await listener.next('task_completed');
    const list = await user.call('GET', '/api/tasks');
    expect(JSON.stringify([ended, list, listener.all])).not.toContain(secret);
    listener.close();
  });

  it('is used again in a copy of the task, whose answer is masked too', async () => {
    const first = await user.submit({ workflow, extraData, partialExecutionTargets: ['3'] });
    await user.ended(first.id);
    const { data: copy } = await user.call('POST', `/api/tasks/${first.id}/retry`);
    expect(copy).toMatchObject({ extraData: shown, partialExecutionTargets: ['3'] });
    const heard = await heardBy(await user.ended(copy.id));
    expect(heard[3]).toMatchObject({ api_key_comfy_org: secret });
    expect(heard[4]).toEqual(['3']);
  });

  it('may name the outputs to run, and the others are left out', async () => {
    const { id } = await user.submit({ workflow, partialExecutionTargets: ['2'] });
    const { result } = await user.ended(id);
    expect(result.outputs.map(({ node }: { node: string }) => node)).toEqual(['2']);
  });

  it.each([
    [{ partialExecutionTargets: ['4'] }, 'body.partialExecutionTargets.0', 'no node 4'],
    [{ partialExecutionTargets: [] }, 'body.partialExecutionTargets', ''],
    [{ extraData: { api_key_comfy_org: '***' } }, 'body.extraData.api_key_comfy_org', 'retry'],
    [{ extraData: { text: 'x'.repeat(4_200_000) } }, 'body.extraData', '4194304'],
    [{ extraData: [] }, 'body.extraData', ''],
  ])('is refused when it is wrong, with field and reason (%#)', async (more, path, words) => {
    const answer = await user.request('POST', '/api/tasks', { body: { workflow, ...more } });
    expect(answer.status).toBe(422);
    expect(answer.body.details[0]).toMatchObject({ path, message: expect.stringContaining(words) });
  });
});
