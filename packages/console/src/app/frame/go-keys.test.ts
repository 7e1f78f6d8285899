import { expect, it } from 'vitest';
import { isGoing } from './go-keys.ts';

it('takes a key as the second one only for a moment after "g"', () => {
  expect(isGoing(1_000, 1_200)).toBe(true);
  expect(isGoing(1_000, 9_000)).toBe(false);
  expect(isGoing(null, 1_200)).toBe(false);
});
