import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dayMs } from '../time-units.ts';
import { systemTimer } from './timer.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

test('waits sixty days, although one Node timer can wait only 24.8', () => {
  const action = vi.fn();
  systemTimer(action, 60 * dayMs);
  vi.advanceTimersByTime(60 * dayMs - 1);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(action).toHaveBeenCalledOnce();
});

test('never runs after it was cancelled, in any part of a long wait', () => {
  const action = vi.fn();
  const cancel = systemTimer(action, 60 * dayMs);
  vi.advanceTimersByTime(30 * dayMs);
  cancel();
  vi.advanceTimersByTime(60 * dayMs);
  expect(action).not.toHaveBeenCalled();
});

test('runs soon when the moment has already passed', () => {
  const action = vi.fn();
  systemTimer(action, -5);
  vi.advanceTimersByTime(0);
  expect(action).toHaveBeenCalledOnce();
});
