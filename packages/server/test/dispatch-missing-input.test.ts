import { startReferenceWorker } from '@switchyard/dev-env/reference-worker';
import { afterEach, describe, expect, it } from 'vitest';
import { type DispatchPool, held, startPool } from './support/dispatch-pool.ts';

/** A person put the picture on a worker by hand; the gateway has not seen it. */
const workflow = {
  '1': { class_type: 'LoadImage', inputs: { image: 'by-hand.png' }, _meta: { title: 'Picture' } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
};
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

let pool: DispatchPool;
const workers: Awaited<ReturnType<typeof startReferenceWorker>>[] = [];

afterEach(async () => {
  await pool.close();
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
});

async function usePool(count: number): Promise<void> {
  pool = await startPool({ workers: [] });
  workers.push(...(await Promise.all(Array.from({ length: count }, () => startReferenceWorker()))));
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

describe('while a worker is stuck', () => {
  const refusal = {
    error: {
      type: 'prompt_outputs_failed_validation',
      message: 'Prompt outputs failed validation',
      details: '',
    },
    node_errors: {
      '1': {
        class_type: 'LoadImage',
        errors: [
          {
            type: 'custom_validation_failed',
            message: 'Custom validation failed for node',
            details: 'image - Invalid image file: by-hand.png',
          },
        ],
      },
    },
  };

  /** No worker has the file, and the first worker executes another client's prompt for ever. */
  async function poolWithStuckWorker(count: number): Promise<string> {
    pool = await startPool({ workers: Array.from({ length: count }, () => held) });
    for (const worker of pool.workers) worker.refuses = () => refusal;
    const [stuck] = pool.workers;
    if (!stuck) throw new Error('The pool has no worker.');
    stuck.refuses = () => null;
    await fetch(`http://127.0.0.1:${stuck.port}/prompt`, {
      method: 'POST',
      body: JSON.stringify({ prompt: workflow, prompt_id: 'somebody-else' }),
    });
    stuck.refuses = () => refusal;
    await pool.user.until(
      () => pool.user.instance(stuck.port),
      ({ state }) => state === 'busy',
    );
    return `127.0.0.1:${stuck.port}`;
  }

  it('a file that the two others do not have ends the task', async () => {
    const stuckId = await poolWithStuckWorker(3);
    const { id } = await pool.user.submit({ workflow });
    const { error, attempts } = await pool.user.ended(id);
    expect(error).toMatchObject({ code: 'input_file_missing', node: '1' });
    const asked = attempts.map(({ instanceId }: { instanceId: string }) => instanceId);
    expect(asked).not.toContain(stuckId);
    expect(new Set(asked).size).toBe(2);
  });

  it('a file that the only other one does not have is a warning until the stuck one lacks it too', async () => {
    await poolWithStuckWorker(2);
    const other = `127.0.0.1:${pool.workers[1]?.port}`;
    const { id } = await pool.user.submit({ workflow });
    const task = await pool.user.until(
      () => pool.user.task(id),
      ({ warnings }) => warnings.length > 0,
    );
    expect(task).toMatchObject({ status: 'pending', error: null });
    expect(task.warnings).toEqual([
      expect.stringMatching(new RegExp(`^${other} does not have an input file.*by-hand\\.png`)),
    ]);
    pool.workers[0]?.finishRun();
    expect(await pool.user.ended(id)).toMatchObject({
      status: 'failed',
      error: { code: 'input_file_missing' },
    });
  });
});
