import { type DevGateway, startGateway } from '@switchyard/dev-env/gateway';
import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow as workflow } from './support/dispatch-pool.ts';

let gateway: DevGateway;
let worker: Awaited<ReturnType<typeof startReferenceWorker>>;
let admin: DispatchCaller;
let user: DispatchCaller;
beforeAll(async () => {
  gateway = await startGateway();
  worker = await startReferenceWorker();
  admin = await DispatchCaller.initialize(gateway.url);
  await admin.useWorkers([worker.port]);
  user = await DispatchCaller.register(gateway.url, 'user@example.com');
});
afterAll(async () => {
  await gateway.stop();
  await worker.close();
});

/** Returns the address of a new saved workflow. */
async function saved(caller: DispatchCaller, name: string): Promise<string> {
  const { data } = await caller.call('POST', '/api/workflows', { name, workflow });
  return `/api/workflows/${data.id}`;
}

/** Returns the address of a file that a task has made. */
async function made(caller: DispatchCaller): Promise<string> {
  const { id } = await caller.submit({ workflow });
  return `/api/files/${(await caller.ended(id)).result.outputs[0].fileId}`;
}

type Submit = (caller: DispatchCaller, priority: number) => ReturnType<DispatchCaller['request']>;

describe('a priority beyond the bound of members', () => {
  it.each<[string, Submit]>([
    ['a task', (caller, priority) => caller.request('POST', '/api/tasks', { body: { workflow, priority } })],
    [
      'a run of a saved workflow',
      async (caller, priority) =>
        caller.request('POST', `${await saved(caller, `At ${priority}`)}/run`, { body: { priority } }),
    ],
    [
      'a file that is made again',
      async (caller, priority) =>
        caller.request('POST', `${await made(caller)}/again`, { body: { priority } }),
    ],
  ])('is refused with the bound for %s, and an administrator may give it', async (_what, submit) => {
    expect(await submit(user, 11)).toMatchObject({
      status: 422,
      body: {
        error: 'validation_failed',
        message: expect.stringContaining('At most 10'),
        details: [{ path: 'body.priority' }],
      },
    });
    expect((await submit(user, 10)).body.data).toMatchObject({ priority: 10 });
    expect((await submit(admin, 100)).body.data).toMatchObject({ priority: 100 });
  });

  it('is kept by the task that has it, and lowered in copies of a member', async () => {
    const file = await made(user);
    await admin.call('POST', '/api/queue/pause', { scope: 'all' });
    const { id } = (await admin.call('POST', `${file}/again`, { priority: 50 })).data;
    expect(await user.task(id)).toMatchObject({ status: 'pending', priority: 50 });
    await user.call('DELETE', `/api/tasks/${id}`);

    expect((await user.call('POST', `/api/tasks/${id}/retry`)).data).toMatchObject({ priority: 10 });
    const batch = await user.call('POST', '/api/task-batches?wait=60', { action: 'retry', taskIds: [id] });
    const { items } = (await user.call('GET', `/api/task-batches/${batch.data.id}/items`)).data;
    expect(await user.task(items[0].newTaskId)).toMatchObject({ priority: 10 });
    expect((await admin.call('POST', `/api/tasks/${id}/retry`)).data).toMatchObject({ priority: 50 });
  });
});
