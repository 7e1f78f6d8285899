import { describe, expect, test } from 'vitest';
import { HashingQueue } from './hashing-queue.ts';

function controlled() {
  const started: number[] = [];
  const finish = new Map<number, (error?: Error) => void>();
  const work = (id: number) => () =>
    new Promise<number>((resolve, reject) => {
      started.push(id);
      finish.set(id, (error) => (error ? reject(error) : resolve(id)));
    });
  return { started, finish, work };
}

const staying = new AbortController().signal;
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('hashing queue', () => {
  test('runs as many at once as allowed, and the others in order', async () => {
    const { started, finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 2, queue: 10 });
    const all = [1, 2, 3, 4].map((id) => queue.run(work(id)));
    await settle();
    expect(started).toEqual([1, 2]);
    finish.get(2)?.();
    await settle();
    expect(started).toEqual([1, 2, 3]);
    finish.get(1)?.();
    await settle();
    finish.get(3)?.();
    finish.get(4)?.();
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
  });

  test('refuses a hash when the queue is full, with a time to try again', async () => {
    const { finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 1, queue: 1 });
    const running = queue.run(work(1));
    const waiting = queue.run(work(2));
    await expect(queue.run(work(3))).rejects.toMatchObject({ code: 'login_busy', retryAfterSeconds: 1 });
    finish.get(1)?.();
    await settle();
    finish.get(2)?.();
    expect(await Promise.all([running, waiting])).toEqual([1, 2]);
  });

  test('gives the place of failed work to the next in line', async () => {
    const { finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 1, queue: 1 });
    const failing = queue.run(work(1));
    const waiting = queue.run(work(2));
    finish.get(1)?.(new Error('no memory'));
    await expect(failing).rejects.toThrow('no memory');
    await settle();
    finish.get(2)?.();
    expect(await waiting).toBe(2);
    expect(await queue.run(async () => 'idle again')).toBe('idle again');
  });

  test('leaves at least one of the four threads to other work, whatever the setting', async () => {
    const { started, finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 64, queue: 10 });
    const all = [1, 2, 3, 4].map((id) => queue.run(work(id)));
    await settle();
    expect(started).toEqual([1, 2, 3]);
    for (const id of [1, 2, 3]) finish.get(id)?.();
    await settle();
    finish.get(4)?.();
    await Promise.all(all);
  });

  test('computes nothing for a client that left while it waited, and gives its place to the next in line', async () => {
    const { started, finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 1, queue: 2 });
    const leaving = new AbortController();
    const running = queue.run(work(1));
    const left = queue.run(work(2), { holder: 'ada', gone: leaving.signal });
    const waiting = queue.run(work(3), { holder: 'bob', gone: staying });
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'login_busy' });
    const late = queue.run(work(4), { holder: 'cyd', gone: staying });
    finish.get(1)?.();
    await settle();
    expect(started).toEqual([1, 3]);
    finish.get(3)?.();
    await settle();
    finish.get(4)?.();
    expect(await Promise.all([running, waiting, late])).toEqual([1, 3, 4]);
  });

  test('computes nothing for a client that left before it entered the queue', async () => {
    const { started, finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 1, queue: 2 });
    const running = queue.run(work(1));
    const gone = AbortSignal.abort();
    await expect(queue.run(work(2), { holder: 'ada', gone })).rejects.toMatchObject({ code: 'login_busy' });
    finish.get(1)?.();
    await running;
    await expect(queue.run(work(3), { holder: 'ada', gone })).rejects.toMatchObject({ code: 'login_busy' });
    expect(started).toEqual([1]);
  });

  test('gives one address a quarter of its places, and keeps the rest for others', async () => {
    const { finish, work } = controlled();
    const queue = new HashingQueue({ concurrency: 1, queue: 7 });
    const ada = { holder: 'ada', gone: staying };
    const first = [queue.run(work(1), ada), queue.run(work(2), ada)];
    await expect(queue.run(work(3), ada)).rejects.toMatchObject({ code: 'login_busy' });
    const other = queue.run(work(4), { holder: 'bob', gone: staying });
    for (const id of [1, 2, 4]) {
      finish.get(id)?.();
      await settle();
    }
    await Promise.all([...first, other]);
    const again = queue.run(work(5), ada);
    finish.get(5)?.();
    expect(await again).toBe(5);
  });
});
