import { expect, it } from 'vitest';
import { backOffMs } from './back-off.ts';

const times = { firstMs: 500, maxMs: 30_000 };

it('doubles with each failure in a row, up to the maximum wait', () => {
  const waits = [1, 2, 3, 7, 8, 5_000].map((failures) => backOffMs(failures, times, () => 1));
  expect(waits).toEqual([500, 1_000, 2_000, 30_000, 30_000, 30_000]);
});

it('makes half of the wait random', () => {
  expect(backOffMs(3, times, () => 0)).toBe(1_000);
  expect(backOffMs(3, times, () => 0.5)).toBe(1_500);
});
