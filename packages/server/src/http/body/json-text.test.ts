import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limitBroken, offsetOfJsonError } from './json-text.ts';

describe('depth', () => {
  test('equals the depth of the parsed value, whatever its texts contain', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom('[[[', '{"a":[', '\\"[', '\\\\', ']}'),
        fc.double({ noDefaultInfinity: true, noNaN: true }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', '[', '{"', '\\'), tie('tree'), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.nat(8), (value, limit) => {
        const limits = { depth: limit, values: 1_000_000 };
        expect(limitBroken(JSON.stringify(value), limits) === 'depth').toBe(depthOf(value) > limit);
      }),
    );
  });

  test('of a text with an unterminated string is the depth before that string', () => {
    const limits = { depth: 1, values: 100 };
    expect(limitBroken('["[[[[[', limits)).toBeUndefined();
    expect(limitBroken('[["', limits)).toBe('depth');
  });
});

describe('number of values', () => {
  test.each([
    ['7', 1],
    ['[1,[2,3]]', 5],
    ['{"a":1,"a":{"b":"x,[,"}}', 4],
    ['[[],{}]', 5],
  ])('of %s is %i', (text, values) => {
    expect(limitBroken(text, { depth: 9, values })).toBeUndefined();
    expect(limitBroken(text, { depth: 9, values: values - 1 })).toBe('values');
  });
});

describe('place of the error', () => {
  test.each([
    ['', 0],
    ['   ', 3],
    ['{"a": abc}', 6],
    ['{"a":1,}', 7],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['{"a":1', 6],
    ['[1, 2', 5],
    ['{"a":"x', 5],
    ['[1]]', 3],
    ['[1}', 2],
    ['{"a":[}', 6],
    ['{} {}', 3],
    ['01', 1],
    ['[1.]', 2],
    ['"a\nb"', 0],
    ['["\\x"]', 1],
    ["{'a':1}", 1],
    ['nul', 0],
    [',', 0],
  ])('%j is %i', (text, offset) => {
    expect(() => JSON.parse(text)).toThrow();
    expect(offsetOfJsonError(text)).toBe(offset);
  });

  test('is found after a text of any length', () => {
    const long = 'a'.repeat(20_000_000);
    expect(offsetOfJsonError(`["${long}"`)).toBe(long.length + 3);
    expect(offsetOfJsonError(`["${long}`)).toBe(1);
  });

  test('lies within the text or at its end, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\ 1a.e-tru') }), (text) => {
        const offset = offsetOfJsonError(text);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
