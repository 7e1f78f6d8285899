import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemTimer } from './timer.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

const day = 86_400_000;

test('waits sixty days, although one Node timer can wait only 24.8', () => {
  const action = vi.fn();
  systemTimer(action, 60 * day);
  vi.advanceTimersByTime(60 * day - 1);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
});

test('never runs after it was cancelled, in any part of a long wait', () => {
  const action = vi.fn();
  const cancel = systemTimer(action, 60 * day);
  vi.advanceTimersByTime(30 * day);
  cancel();
  vi.advanceTimersByTime(60 * day);
  expect(action).not.toHaveBeenCalled();
});

test('runs soon when the moment has already passed', () => {
  const action = vi.fn();
  systemTimer(action, -5);
  vi.advanceTimersByTime(0);
  expect(action).toHaveBeenCalledOnce();
});
