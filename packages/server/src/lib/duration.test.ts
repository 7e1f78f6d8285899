import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

describe('durations', () => {
  it.each([
    ['0s', 0],
    ['500ms', 500],
    ['25s', 25_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['7d', 604_800_000],
    [' 25s ', 25_000],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '25', '5 m', '-5s', '1.5h', '5M', '5w', '1h30m', 'soon'])('refuses "%s"', (text) => {
    expect(() => parseDuration(text)).toThrow(RangeError);
  });

  it('says what to write instead', () => {
    expect(() => parseDuration('25')).toThrow(
      '"25" is not a duration; write a whole number and a unit: 500ms, 25s, 5m, 12h or 7d',
    );
  });

  it('refuses a number that no timer or date could hold', () => {
    expect(() => parseDuration('999999999999d')).toThrow('too long');
  });

  it('writes any number of milliseconds so that it reads back the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e11 }), (ms) => parseDuration(formatDuration(ms)) === ms),
    );
  });

  it('writes in the largest unit that fits', () => {
    expect([0, 90_000, 60_000, 86_400_000, 1_500].map(formatDuration)).toEqual([
      '0s',
      '90s',
      '1m',
      '1d',
      '1500ms',
    ]);
  });
});
