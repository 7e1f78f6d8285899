import { expect, it } from 'vitest';
import { splitDuration, splitRange } from './duration.ts';

const words = (ms: number) => splitDuration(ms).map(({ value, unit }) => `${value} ${unit}`);

it.each([
  [-5, ['0 second']],
  [420, ['0.4 second']],
  [9_960, ['10 second']],
  [42_400, ['42 second']],
  [59_700, ['1 minute']],
  [100_000, ['1 minute', '40 second']],
  [120_000, ['2 minute']],
  [3_599_700, ['1 hour']],
  [7_500_000, ['2 hour', '5 minute']],
  [86_399_000, ['1 day']],
  [273_600_000, ['3 day', '4 hour']],
])('splits %i ms into the units in which a person reads it', (ms, parts) => {
  expect(words(ms)).toEqual(parts);
});

it('rounds a range outwards, so that it never promises too much', () => {
  expect(splitRange(130_000, 230_000)).toEqual({ from: 2, to: 4, unit: 'minute' });
  expect(splitRange(12_900, 18_100)).toEqual({ from: 12, to: 19, unit: 'second' });
});

it('takes the bounds of a range in any order and never below zero', () => {
  expect(splitRange(5_000, -3_000)).toEqual({ from: 0, to: 5, unit: 'second' });
  expect(splitRange(0, 0)).toEqual({ from: 0, to: 1, unit: 'second' });
});
