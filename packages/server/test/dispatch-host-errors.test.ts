import { afterEach, beforeEach, expect, it } from 'vitest';
import { DispatchCaller } from './support/dispatch-caller.ts';
import { anyWorkflow, type DispatchPool, startPool } from './support/dispatch-pool.ts';

const fullDisk = {
  node_id: '2',
  node_type: 'SaveImage',
  exception_type: 'OSError',
  exception_message: "[Errno 28] No space left on device: '/comfy/output/x_00001_.png'",
};

let pool: DispatchPool;
let other: DispatchCaller;

beforeEach(async () => {
  pool = await startPool({ workers: [{}, {}] });
  other = await DispatchCaller.register(pool.gateway.url, 'other@example.com');
});
afterEach(() => pool.close());

const worker = (index: number) => {
  const found = pool.workers[index];
  if (!found) throw new Error(`There is no worker ${index}.`);
  return found;
};
const idOf = (index: number) => `127.0.0.1:${worker(index).port}`;
const run = async (user: DispatchCaller, more: object = {}) =>
  user.ended((await user.submit({ workflow: anyWorkflow, ...more })).id);
/** Switches off all but one, so that the next task is given to that one. */
const onlyUse = async (index: number) => {
  for (const at of [0, 1])
    await pool.admin.call('PUT', `/api/instances/${idOf(at)}`, { enabled: at === index });
};
const useBoth = async () => {
  for (const at of [0, 1]) await pool.admin.call('PUT', `/api/instances/${idOf(at)}`, { enabled: true });
};
/** Ends once the task of each user has failed on the first worker and waits for another one. */
const failOnFirst = async (...users: DispatchCaller[]) => {
  await onlyUse(0);
  const tasks = await Promise.all(users.map((user) => user.submit({ workflow: anyWorkflow })));
  await Promise.all(
    tasks.map(({ id }) =>
      pool.admin.until(
        () => pool.admin.task(id),
        ({ attempts, phase }) => attempts[0]?.outcome === 'lost' && phase === 'queued',
      ),
    ),
  );
  return tasks.map(({ id }) => id);
};

it('a task that meets a full disk runs elsewhere, and the instance says why it rests', async () => {
  worker(0).fails = () => fullDisk;
  const [id] = await failOnFirst(pool.user);
  await useBoth();
  expect(await pool.user.ended(id)).toMatchObject({
    status: 'completed',
    instanceId: idOf(1),
    attempts: [
      { outcome: 'lost', error: { code: 'device_error', message: expect.stringContaining('[Errno 28]') } },
      { outcome: 'completed' },
    ],
  });
  expect(await pool.user.instance(worker(0).port)).toMatchObject({
    lastError: expect.stringContaining('No space left on device'),
  });
});

it('a task that may start only once fails on a full disk', async () => {
  worker(0).fails = () => fullDisk;
  await onlyUse(0);
  expect(await run(pool.user, { retry: 'never' })).toMatchObject({
    status: 'failed',
    attempts: [{ outcome: 'lost' }],
    error: { code: 'device_error', message: expect.stringContaining('No space left on device') },
  });
});

it('one user whose tasks meet a full disk keeps no other user from the worker', async () => {
  worker(0).fails = () => fullDisk;
  const [id] = await failOnFirst(pool.user);
  await useBoth();
  await pool.user.ended(id);
  const before = worker(0).stats.accepted;
  for (let more = 0; more < 3; more += 1) {
    expect(await run(pool.user)).toMatchObject({ status: 'completed', attempt: 1, instanceId: idOf(1) });
  }
  expect(worker(0).stats.accepted).toBe(before);
  worker(0).fails = () => null;
  await onlyUse(0);
  expect(await run(other)).toMatchObject({ status: 'completed', attempt: 1, instanceId: idOf(0) });
});

it('a full disk that two users met puts the worker under suspicion for all', async () => {
  worker(0).fails = () => fullDisk;
  await failOnFirst(pool.user, other);
  expect(await pool.user.instance(worker(0).port)).toMatchObject({
    state: 'suspect',
    lastError: expect.stringContaining('the tasks of two users'),
  });
  await useBoth();
  const third = await DispatchCaller.register(pool.gateway.url, 'third@example.com');
  expect(await run(third)).toMatchObject({ status: 'completed', attempt: 1, instanceId: idOf(1) });
});

it.each([
  ['ValueError', '[Errno 28] No space left on device'],
  ['OSError', 'Could not read "[Errno 28] No space left on device"'],
])('a %s with a text of a user, %s, says nothing about the worker', async (exceptionType, text) => {
  const forged = { ...fullDisk, exception_type: exceptionType, exception_message: text };
  for (const each of pool.workers) each.fails = () => forged;
  for (const user of [pool.user, other]) {
    expect(await run(user)).toMatchObject({
      status: 'failed',
      attempt: 1,
      error: { code: 'execution_failed' },
    });
  }
  for (const each of pool.workers) {
    expect(await pool.user.instance(each.port)).toMatchObject({ state: 'idle', lastError: null });
    each.fails = () => null;
  }
  expect(await run(pool.user)).toMatchObject({ status: 'completed', attempt: 1 });
});
