import { expect, it } from 'vitest';
import { megapixelsOf, ratioOf, sizeIn, withMegapixels, withRatio } from './size.ts';

const side = { minimum: 16, maximum: 4_096, step: 64 };
const sides = { width: side, height: side };

it('has a ratio, lying and upright, also when its sides are rounded to steps', () => {
  expect(ratioOf({ width: 1_024, height: 1_024 })).toBe('1:1');
  expect(ratioOf({ width: 1_344, height: 768 })).toBe('16:9');
  expect(ratioOf({ width: 832, height: 1_216 })).toBe('3:2');
  expect(ratioOf({ width: 2_048, height: 128 })).toBeNull();
});

it('keeps its pixels with another ratio, and its ratio with other pixels, in steps of the node', () => {
  const square = { width: 1_024, height: 1_024 };
  expect(withRatio(square, '16:9', sides)).toEqual({ width: 1_344, height: 768 });
  expect(withRatio({ width: 768, height: 1_024 }, '16:9', sides)).toEqual({ width: 640, height: 1_152 });
  expect(withMegapixels({ width: 1_344, height: 768 }, 4, sides)).toEqual({ width: 2_688, height: 1_472 });
  expect(megapixelsOf(square)).toBeCloseTo(1.05);
});

it('stays within the bounds of the node, and a node that names none takes every side', () => {
  expect(withMegapixels({ width: 512, height: 512 }, 1_000, sides)).toEqual({ width: 4_096, height: 4_096 });
  expect(withMegapixels({ width: 512, height: 512 }, 0, sides)).toEqual({ width: 64, height: 64 });
  const free = { minimum: null, maximum: null };
  expect(withRatio({ width: 100, height: 100 }, '4:3', { width: free, height: free })).toEqual({
    width: 115,
    height: 87,
  });
});

it('is unknown while a side is not typed yet', () => {
  expect(sizeIn('512', '')).toBeNull();
  expect(sizeIn('512', '{{h}}')).toBeNull();
  expect(sizeIn('512', '768')).toEqual({ width: 512, height: 768 });
});
