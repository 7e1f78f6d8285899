import { describe, expect, it } from 'vitest';
import { repr, toBool, toFloat, toInt } from './python.ts';

describe('values as Python reads them', () => {
  it('makes whole numbers', () => {
    expect([toInt('12'), toInt(' -3 '), toInt(3.9), toInt(-3.9), toInt(true)]).toEqual([12, -3, 3, -3, 1]);
    expect(() => toInt('12.5')).toThrow("invalid literal for int() with base 10: '12.5'");
    expect(() => toInt(null)).toThrow("not 'NoneType'");
    expect(() => toInt({})).toThrow("not 'dict'");
    expect(() => toInt(Number.POSITIVE_INFINITY)).toThrow('cannot convert float infinity to integer');
  });

  it('makes decimals', () => {
    expect([toFloat('1e3'), toFloat(2), toFloat(false)]).toEqual([1000, 2, 0]);
    expect(() => toFloat('')).toThrow("could not convert string to float: ''");
  });

  it('knows which values are empty', () => {
    expect([toBool(''), toBool('False'), toBool({}), toBool(0), toBool({ a: 1 })]).toEqual([
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('prints values as in its messages', () => {
    expect(repr(['a', "it's", null, true, 1.5, { k: 'v' }])).toBe(
      `['a', "it's", None, True, 1.5, {'k': 'v'}]`,
    );
  });
});
