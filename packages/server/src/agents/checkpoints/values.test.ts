import { expect, test } from 'vitest';
import { bytesOf, loadPart, type NewValue, storedForm, valueAt } from './values.ts';

/** The value as it is read again, and how many values were stored for it. */
function again(value: unknown): [value: unknown, stored: number] {
  const { place, parts } = storedForm(value);
  const byHash = new Map<string, NewValue>(parts.map((part) => [part.hash, part]));
  const read = (hash: string): unknown => {
    const part = byHash.get(hash);
    if (!part) throw new Error(`Nothing is stored under ${hash}.`);
    return loadPart({ type: part.type, data: bytesOf(part.data) });
  };
  return [valueAt(JSON.parse(JSON.stringify(place)), read), parts.length];
}

test('stores each object of a list by itself, any other value as a whole, and nothing for an empty list', () => {
  expect(again([{ a: 1 }, { b: 2 }])).toEqual([[{ a: 1 }, { b: 2 }], 2]);
  expect(again([1, 2, 3])).toEqual([[1, 2, 3], 1]);
  expect(again([[]])).toEqual([[[]], 1]);
  expect(again(null)).toEqual([null, 1]);
  expect(again([])).toEqual([[], 0]);
});
