import type { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterEach, describe, expect, it } from 'vitest';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

const loader = 'CheckpointLoaderSimple';
const workflow = {
  '1': { class_type: loader, inputs: { ckpt_name: 'new.safetensors' } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
};
const withOld = {
  nodeClasses: [loader, 'SaveImage'],
  models: { [`${loader}.ckpt_name`]: ['old.safetensors'] },
};
const withNew = { [`${loader}.ckpt_name`]: ['new.safetensors', 'old.safetensors'] };

let pool: DispatchPool;

afterEach(() => pool.close());

const onlyWorker = (): FakeWorker => {
  const [worker] = pool.workers;
  if (!worker) throw new Error('The pool has no worker.');
  return worker;
};
const submit = () => pool.user.request('POST', '/api/tasks', { body: { workflow } });
const knowsNewModel = () =>
  pool.user.until(
    () => pool.user.instance(onlyWorker().port),
    ({ capabilities }) => capabilities.models[`${loader}.ckpt_name`].includes('new.safetensors'),
  );

describe('a model that is added to a running worker', () => {
  it('can be used by the next submission', async () => {
    pool = await startPool({ workers: [withOld] });
    const early = await submit();
    expect(early).toMatchObject({ status: 422, body: { error: 'no_capable_instance' } });
    expect(early.body.message).toContain('new.safetensors');
    onlyWorker().models = withNew;
    const { status, body } = await submit();
    expect(status).toBe(200);
    expect(await pool.user.ended(body.data.id)).toMatchObject({ status: 'completed' });
  });

  it('is noticed at the interval of the health check, without a submission', async () => {
    pool = await startPool({ workers: [withOld] });
    const instances = [{ ip: '127.0.0.1', port: onlyWorker().port }];
    await pool.admin.call('PUT', '/api/config', {
      servers: [{ id: 'test', name: 'Test', kind: 'comfyui', instances }],
      healthCheck: { interval: 1, capabilitiesInterval: 1 },
    });
    onlyWorker().models = withNew;
    await knowsNewModel();
  });

  it('is noticed by a test of the instance, and appears in its record', async () => {
    pool = await startPool({ workers: [withOld] });
    onlyWorker().models = withNew;
    const path = `/api/instances/127.0.0.1:${onlyWorker().port}`;
    expect((await pool.admin.call('POST', `${path}/test`)).data).toMatchObject({ ok: true });
    await knowsNewModel();
    const changes = async () => {
      const { data } = await pool.user.call('GET', `${path}/events`);
      return data.items.map(({ message }: { message: string }) => message);
    };
    await pool.user.until(changes, (messages) => messages.includes('New models: new.safetensors.'));
  });
});

describe('a model that no worker has', () => {
  it('is refused, and many submissions cost the worker few questions', async () => {
    pool = await startPool({ workers: [withOld] });
    const before = onlyWorker().stats.objectInfoAsked;
    const answers = await Promise.all(Array.from({ length: 50 }, submit));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([422]));
    expect(onlyWorker().stats.objectInfoAsked - before).toBeLessThan(25);
  });

  it('is also refused when the worker does not say what it can run', async () => {
    pool = await startPool({ workers: [withOld] });
    onlyWorker().behaviour = { ...onlyWorker().behaviour, trouble: 'silent_object_info' };
    expect(await submit()).toMatchObject({ status: 422, body: { error: 'no_capable_instance' } });
  });
});
