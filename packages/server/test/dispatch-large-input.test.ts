import type { FakeBehaviour } from '@switchyard/dev-env/fake-behaviour';
import { afterEach, expect, it } from 'vitest';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

const megabyte = 1_048_576;
const small = { maxUploadBytes: megabyte };
const large = { maxUploadBytes: 8 * megabyte };
/** An older server, which does not name its limit. */
const silent = { ...small, hidesUploadLimit: true };
const workflow = { ...anyWorkflow, '3': { class_type: 'LoadImage', inputs: { image: '' } } };

let pool: DispatchPool;

afterEach(() => pool.close());

async function usePool(...workers: Partial<FakeBehaviour>[]): Promise<void> {
  pool = await startPool({ workers });
}

/** Submits a task with an input of its own, of this size. */
async function submit(bytes: number, more: object = {}): Promise<string> {
  const { fileId } = await pool.user.upload('in.png', Buffer.alloc(bytes, String(Math.random())));
  const { id } = await pool.user.submit({ workflow, params: { '3.image': { $file: fileId } }, ...more });
  return id;
}

/** Submits a task whose graph has this size. */
async function submitGraph(bytes: number): Promise<string> {
  const load = { class_type: 'LoadImage', inputs: { image: 'in.png', note: 'x'.repeat(bytes) } };
  return (await pool.user.submit({ workflow: { ...anyWorkflow, '3': load } })).id;
}

const prompts = () => pool.workers.map(({ stats }) => stats.prompts);
const uploads = () => pool.workers.map(({ stats }) => stats.uploads);
const outcomesOf = ({ attempts }: { attempts: { outcome: string }[] }) =>
  attempts.map(({ outcome }) => outcome);

it('an input that is larger than all workers take fails with the sizes, and nothing of it is sent', async () => {
  await usePool(small, { maxUploadBytes: 2 * megabyte });
  const task = await pool.user.ended(await submit(3 * megabyte));
  expect(task).toMatchObject({ status: 'failed', error: { code: 'input_too_large' } });
  expect(outcomesOf(task)).toEqual(['too_large', 'too_large']);
  const { message } = task.error;
  expect(message).toContain('No instance that could run the task takes its input or its workflow');
  expect(message).toContain('takes at most 1.00 MB in one request, and this one has 3.00 MB');
  expect(message).toContain('takes at most 2.00 MB in one request, and this one has 3.00 MB');
  expect(message).not.toContain('answer');
  expect(uploads()).toEqual([0, 0]);
});

it('an input goes to the worker that takes its size', async () => {
  await usePool(small, small, large);
  for (let task = 0; task < 3; task += 1) {
    const ended = await pool.user.ended(await submit(3 * megabyte));
    expect(ended).toMatchObject({
      status: 'completed',
      instanceId: `127.0.0.1:${pool.workers[2]?.port}`,
    });
  }
  expect(uploads()).toEqual([0, 0, 3]);
});

it('a worker that does not name its limit is sent a file of a size once', async () => {
  await usePool(silent);
  for (const bytes of [3 * megabyte, 3 * megabyte, 4 * megabyte]) {
    const task = await pool.user.ended(await submit(bytes));
    expect(task).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'input_too_large' } });
    expect(task.error.message).toContain(`takes no request of ${bytes / megabyte}.00 MB`);
  }
  expect(uploads()).toEqual([1]);
  expect(await pool.user.ended(await submit(1_000))).toMatchObject({ status: 'completed' });
});

it('a graph that is larger than a worker takes is not sent there', async () => {
  await usePool(small, large);
  expect(await pool.user.ended(await submitGraph(3 * megabyte))).toMatchObject({
    status: 'completed',
    instanceId: `127.0.0.1:${pool.workers[1]?.port}`,
  });
  expect(prompts()).toEqual([0, 1]);
});

it('a worker that does not name its limit is sent a graph of a size once', async () => {
  await usePool(silent);
  for (const bytes of [2 * megabyte, 2 * megabyte, 3 * megabyte])
    expect(await pool.user.ended(await submitGraph(bytes))).toMatchObject({
      error: { code: 'input_too_large' },
    });
  expect(prompts()).toEqual([1]);
});

it('an input waits for a worker that is away and may take its size', async () => {
  await usePool(small, large);
  const [first, away] = pool.workers;
  if (!first || !away) throw new Error('There are two workers.');
  away.behaviour = { ...away.behaviour, trouble: 'password' };
  await pool.user.until(
    () => pool.user.instance(away.port),
    ({ state }) => state === 'unreachable',
  );
  const id = await submit(3 * megabyte);
  await pool.user.until(
    () => pool.user.task(id),
    (task) => task.phase === 'queued' && task.attempts.length === 1,
  );
  away.behaviour = { ...away.behaviour, trouble: null };
  expect(await pool.user.ended(id)).toMatchObject({ status: 'completed', attempt: 2 });
  expect(first.stats.uploads).toBe(0);
});
