import { expect, test } from 'vitest';
import { BoundedQueue } from './bounded-queue.ts';

test('gives the items in order and ends after the last one', async () => {
  const queue = new BoundedQueue<number>(3);
  queue.push(1);
  queue.push(2);
  queue.end();
  expect(await collect(queue)).toEqual([1, 2]);
});

test('refuses an item when full, and accepts one as soon as the reader has taken one', async () => {
  const queue = new BoundedQueue<number>(2);
  expect([queue.push(1), queue.push(2), queue.push(3)]).toEqual([true, true, false]);
  const reader = queue[Symbol.asyncIterator]();
  expect((await reader.next()).value).toBe(1);
  expect([queue.push(4), queue.push(5)]).toEqual([true, false]);
  expect(queue.size).toBe(2);
});

test('wakes a waiting reader', async () => {
  const queue = new BoundedQueue<string>(1);
  const next = queue[Symbol.asyncIterator]().next();
  queue.push('late');
  expect((await next).value).toBe('late');
});

test('gives the reader the queued items before the error', async () => {
  const queue = new BoundedQueue<number>(2);
  queue.push(1);
  queue.end(new Error('source broke'));
  const seen: number[] = [];
  await expect(async () => {
    for await (const item of queue) seen.push(item);
  }).rejects.toThrow('source broke');
  expect(seen).toEqual([1]);
});

test('refuses everything once the reader has left', async () => {
  const queue = new BoundedQueue<number>(5);
  queue.push(1);
  queue.push(2);
  for await (const _ of queue) break;
  expect(queue.push(3)).toBe(false);
  expect(queue.size).toBe(0);
});

test('refuses a limit below one', () => {
  expect(() => new BoundedQueue(0)).toThrow(RangeError);
});

async function collect<Item>(source: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source) items.push(item);
  return items;
}
