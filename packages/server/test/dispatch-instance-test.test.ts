import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import { afterEach, expect, it } from 'vitest';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

let pool: DispatchPool;
let worker: FakeWorker | undefined;

afterEach(async () => {
  await pool.close();
  await worker?.close();
  worker = undefined;
});

/** Adds a worker and tests it at once, as `instances add` does. */
async function addAndTest(port: number) {
  const servers = [{ id: 'new', name: 'New', kind: 'comfyui', instances: [{ ip: '127.0.0.1', port }] }];
  await pool.admin.call('PUT', '/api/config', { servers, healthCheck: { interval: 1 } });
  return (await pool.admin.call('POST', `/api/instances/127.0.0.1:${port}/test`)).data;
}

it('the test of a worker that was added a moment ago waits for its first answer', async () => {
  pool = await startPool({ workers: [] });
  worker = await FakeWorker.start();
  expect(await addAndTest(worker.port)).toMatchObject({
    ok: true,
    message: expect.stringMatching(/^It answers: version /),
    instance: {
      alive: true,
      state: 'idle',
      system: { pytorchVersion: '2.8.0+cu128', ramTotalBytes: 64_000_000_000, ramFreeBytes: 12_000_000_000 },
    },
  });
});

it('the test of an added worker that is not there says that it refuses the connection', async () => {
  pool = await startPool({ workers: [] });
  const gone = await FakeWorker.start();
  await gone.close();
  expect(await addAndTest(gone.port)).toMatchObject({ ok: false, cause: 'refused' });
});
