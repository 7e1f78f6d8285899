import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatSize, parseSize } from './size.ts';

describe('sizes', () => {
  it.each([
    ['0', 0],
    ['10240', 10_240],
    ['512B', 512],
    ['10KB', 10_240],
    ['10kb', 10_240],
    ['2 MB', 2_097_152],
    ['1GB', 1_073_741_824],
  ])('reads %s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it.each(['', '-1', '1.5MB', '10 K', '2MiB', 'big', 'MB'])('refuses "%s"', (text) => {
    expect(() => parseSize(text)).toThrow(RangeError);
  });

  it('says what to write instead', () => {
    expect(() => parseSize('2 megs')).toThrow(
      '"2 megs" is not a size; write a whole number and a unit: 512B, 10KB, 2MB or 1GB (1 KB is 1,024 bytes)',
    );
  });

  it('refuses a number that cannot be counted exactly', () => {
    expect(() => parseSize('999999999999999TB')).toThrow('too large');
  });

  it('writes any number of bytes so that it reads back the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 45 }), (bytes) => parseSize(formatSize(bytes)) === bytes),
    );
  });
});
