import { expect, it } from 'vitest';
import { barPath } from './bar-path.ts';

it('draws each bar in its place, measured from the bottom', () => {
  expect(
    barPath([
      { from: 0, to: 1 },
      { from: 0.25, to: 0.5 },
    ]),
  ).toBe('M0 1V0h0.85V1zM1 0.75V0.5h0.85V0.75z');
});

it('draws nothing for a bar without height, and keeps its place', () => {
  expect(
    barPath([
      { from: 0.4, to: 0.4 },
      { from: 0, to: 0.123456 },
    ]),
  ).toBe('M1 1V0.877h0.85V1z');
  expect(barPath([])).toBe('');
});
