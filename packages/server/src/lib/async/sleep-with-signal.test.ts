import { expect, test } from 'vitest';
import { ManualTime } from '../../../testing/manual-time.ts';
import { sleepWithSignal } from './sleep-with-signal.ts';

test('resolves when the time has passed and not before', async () => {
  const time = new ManualTime();
  let isOver = false;
  const sleep = sleepWithSignal(1_000, { timer: time.timer }).then(() => {
    isOver = true;
  });
  time.advance(999);
  await Promise.resolve();
  expect(isOver).toBe(false);
  time.advance(1);
  await sleep;
  expect(isOver).toBe(true);
});

test("rejects with the signal's reason and cancels its timer", async () => {
  const time = new ManualTime();
  const controller = new AbortController();
  const sleep = sleepWithSignal(1_000, { signal: controller.signal, timer: time.timer });
  controller.abort(new Error('stop'));
  await expect(sleep).rejects.toThrow('stop');
  expect(time.nextTimerMs).toBeNull();
});

test('rejects at once when the signal was already aborted', async () => {
  const time = new ManualTime();
  const sleep = sleepWithSignal(1_000, { signal: AbortSignal.abort(new Error('gone')), timer: time.timer });
  await expect(sleep).rejects.toThrow('gone');
  expect(time.nextTimerMs).toBeNull();
});

test('leaves no listener on a signal that outlives it', async () => {
  const time = new ManualTime();
  const signal = new AbortController().signal;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    remove(...args);
  };
  const sleep = sleepWithSignal(5, { signal, timer: time.timer });
  time.advance(5);
  await sleep;
  expect(listeners).toBe(0);
});
