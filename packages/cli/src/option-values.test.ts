import { describe, expect, it } from 'vitest';
import { moment, seconds, wholeNumber } from './option-values.ts';

describe('a whole number', () => {
  it('is accepted within its range, both ends included', () => {
    expect(['-100', '0', '100'].map(wholeNumber(-100, 100))).toEqual([-100, 0, 100]);
  });

  it.each(['101', '-101', '1.5', '', 'x', '1e1', ' 1'])('is not "%s"', (text) => {
    expect(() => wholeNumber(-100, 100)(text)).toThrow('from -100 to 100');
  });
});

describe('a time', () => {
  it('is in seconds, or has its unit', () => {
    expect(['90', '10m', '2h', '1ms'].map(seconds)).toEqual([90, 600, 7_200, 1]);
  });

  it.each(['', 'soon', '-5', '1.5h'])('is not "%s"', (text) => {
    expect(() => seconds(text)).toThrow('90, 10m or 2h');
  });
});

describe('a moment', () => {
  const now = Date.UTC(2030, 0, 31, 12);

  it('is a date and time, or how long ago it was', () => {
    expect(moment('2h', now)).toBe('2030-01-31T10:00:00.000Z');
    expect(moment('2030-01-30T00:00:00Z', now)).toBe('2030-01-30T00:00:00.000Z');
  });

  it.each(['yesterday', '2030-99-99', '', '7'])('is not "%s"', (text) => {
    expect(() => moment(text, now)).toThrow('how long ago');
  });
});
