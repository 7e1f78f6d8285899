import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterEach, expect, it } from 'vitest';
import { type DispatchPool, startPool } from './support/dispatch-pool.ts';

/** Somebody put the picture on a worker by hand; the gateway has not seen it. */
const workflow = {
  '1': { class_type: 'LoadImage', inputs: { image: 'by-hand.png' }, _meta: { title: 'Picture' } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
};
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let pool: DispatchPool;
let workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];

afterEach(async () => {
  await pool.close();
  await Promise.all(workers.map((worker) => worker.close()));
});

async function usePool(count: number): Promise<void> {
  pool = await startPool({ workers: [] });
  workers = await Promise.all(Array.from({ length: count }, () => startReferenceWorker()));
  await pool.admin.useWorkers(workers.map(({ port }) => port));
}

async function putOn(port: number): Promise<void> {
  const form = new FormData();
  form.set('image', new Blob([Buffer.from(onePixel, 'base64')]), 'by-hand.png');
  const { status } = await fetch(`http://127.0.0.1:${port}/upload/image`, { method: 'POST', body: form });
  expect(status).toBe(200);
}

it('a file that no worker has ends the task, with its name, the node and what to do', async () => {
  await usePool(2);
  const { id } = await pool.user.submit({ workflow });
  const { status, error } = await pool.user.ended(id);
  expect(status).toBe('failed');
  expect(error).toMatchObject({ code: 'input_file_missing', node: '1', nodeTitle: 'Picture' });
  expect(error.message).toMatch(/by-hand\.png.*No instance has this file: upload it/);
});

it('a file that one of the workers has is found there', async () => {
  await usePool(2);
  await putOn(workers[1]?.port ?? 0);
  const { id } = await pool.user.submit({ workflow });
  expect(await pool.user.ended(id)).toMatchObject({
    status: 'completed',
    instanceId: `127.0.0.1:${workers[1]?.port}`,
  });
});
