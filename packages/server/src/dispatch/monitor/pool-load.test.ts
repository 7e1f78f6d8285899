import { expect, it } from 'vitest';
import { PoolLoad } from './pool-load.ts';

const nowMs = Date.parse('2026-01-01T01:00:30Z');
const load = () => new PoolLoad({ nowMs, minutes: 4 });
const group = (startMinute: string, endMinute: string, seconds: [number, number], attempts = 1) => ({
  instanceId: 'a',
  startMinute: `2026-01-01T${startMinute}`,
  endMinute: `2026-01-01T${endMinute}`,
  attempts,
  completed: attempts,
  startSeconds: seconds[0],
  endSeconds: seconds[1],
});

it('has a place for each minute, the present one included', () => {
  expect(load().minutes).toEqual([
    '2026-01-01T00:57:00.000Z',
    '2026-01-01T00:58:00.000Z',
    '2026-01-01T00:59:00.000Z',
    '2026-01-01T01:00:00.000Z',
  ]);
});

it('counts attempts of one minute in that minute, all together', () => {
  const pool = load();
  // Two attempts: from second 10 to 25, and from second 30 to 45.
  pool.add(group('00:58', '00:58', [40, 70], 2));
  expect(pool.busyOf('a')).toEqual([0, 0.5, 0, 0]);
  expect(pool.completed).toEqual([0, 2, 0, 0]);
});

it('spreads an attempt over the minutes that it took', () => {
  const pool = load();
  pool.add(group('00:57', '00:59', [30, 15]));
  expect(pool.busyOf('a')).toEqual([0.5, 1, 0.25, 0]);
  expect(pool.utilisationOf('a')).toBe(0.5);
});

it('cuts what began before the first minute', () => {
  const pool = load();
  pool.add(group('00:10', '00:57', [0, 30]));
  expect(pool.busyOf('a')).toEqual([0.5, 0, 0, 0]);
});

it('lets an attempt that goes on reach until now, and measures the present minute by what has passed of it', () => {
  const pool = load();
  pool.addRunning({ instanceId: 'a', startedAt: '2026-01-01T00:59:30Z' });
  expect(pool.busyOf('a')).toEqual([0, 0, 0.5, 1]);
});

it('counts what did not complete as failed', () => {
  const pool = load();
  pool.add({ ...group('00:58', '00:58', [0, 10], 3), completed: 1 });
  expect(pool.failed).toEqual([0, 2, 0, 0]);
});
