import { expect, it } from 'vitest';
import { withSortedKeys } from './with-sorted-keys.ts';

it('gives equal values equal texts, whatever the order of their keys, and keeps the order of lists', () => {
  const text = JSON.stringify(withSortedKeys({ b: [{ d: 1, c: null }, 2], a: 'x' }));
  expect(text).toBe('{"a":"x","b":[{"c":null,"d":1},2]}');
});
