import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { BoundedQueue } from './bounded-queue.ts';
import { withPing } from './with-ping.ts';

function setUp() {
  const time = new ManualTime();
  const queue = new BoundedQueue<string>(10);
  const reader = withPing(queue, { everyMs: 15_000, ping: () => 'ping', timer: time.timer });
  return { time, queue, reader };
}

test('yields a ping for each silent interval, and the item when it arrives', async () => {
  const { time, queue, reader } = setUp();
  const first = reader.next();
  await ticks();
  time.advance(15_000);
  expect((await first).value).toBe('ping');
  const second = reader.next();
  await ticks();
  time.advance(15_000);
  expect((await second).value).toBe('ping');
  const third = reader.next();
  await ticks();
  queue.push('item');
  expect((await third).value).toBe('item');
});

test('starts the interval again after each item', async () => {
  const { time, queue, reader } = setUp();
  queue.push('a');
  expect((await reader.next()).value).toBe('a');
  time.advance(14_999);
  const next = reader.next();
  await ticks();
  time.advance(14_999);
  queue.push('b');
  expect((await next).value).toBe('b');
});

test('loses no item that arrives while the reader handles a ping', async () => {
  const { time, queue, reader } = setUp();
  const first = reader.next();
  await ticks();
  time.advance(15_000);
  await first;
  queue.push('during');
  expect((await reader.next()).value).toBe('during');
});

test('ends with the source and leaves no timer', async () => {
  const { time, queue, reader } = setUp();
  queue.end();
  expect((await reader.next()).done).toBe(true);
  expect(time.nextTimerMs).toBeNull();
});

test('passes on the failure of the source', async () => {
  const { queue, reader } = setUp();
  queue.end(new Error('source broke'));
  await expect(reader.next()).rejects.toThrow('source broke');
});

test('tells the source when the reader leaves', async () => {
  const { queue, reader } = setUp();
  queue.push('a');
  for await (const _ of reader) break;
  await ticks();
  expect(queue.push('b')).toBe(false);
});

/** Lets promise callbacks run. */
function ticks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
