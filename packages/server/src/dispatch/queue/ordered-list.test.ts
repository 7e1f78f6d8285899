import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OrderedList } from './ordered-list.ts';

test('a list stays in order after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ value: fc.integer(), drop: fc.nat(3) }), { maxLength: 60 }), (steps) => {
      const list = new OrderedList<number>((a, b) => a < b);
      const places: ReturnType<typeof list.add>[] = [];
      const expected: number[] = [];
      for (const { value, drop } of steps) {
        places.push(list.add(value));
        expected.push(value);
        if (drop === 0) {
          const [place] = places.splice(value % places.length || 0, 1);
          if (place) {
            list.remove(place);
            expected.splice(expected.indexOf(place.item), 1);
          }
        }
      }
      expect([...list]).toEqual([...expected].sort((a, b) => a - b));
      expect(list.size).toBe(expected.length);
      expect(list.first).toBe([...list][0] ?? null);
    }),
  );
});

test('equal items keep the order in which they came', () => {
  const list = new OrderedList<{ key: number; name: string }>((a, b) => a.key < b.key);
  for (const [key, name] of [
    [1, 'a'],
    [2, 'b'],
    [1, 'c'],
    [2, 'd'],
  ] as const)
    list.add({ key, name });
  expect([...list].map(({ name }) => name).join('')).toBe('acbd');
});

test('counts the items before an item from the nearer end, and gives up in the middle of a long list', () => {
  const list = new OrderedList<number>((a, b) => a < b);
  for (let value = 0; value < 1_000; value++) list.add(value);
  expect([0, 1, 30, 970, 999].map((value) => list.countBefore(value, 100))).toEqual([0, 1, 30, 970, 999]);
  expect(list.countBefore(500, 100)).toBe(100);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 0, max: 9 }), (values, item) => {
      const short = new OrderedList<number>((a, b) => a < b);
      for (const value of values) short.add(value);
      expect(short.countBefore(item, 1_000)).toBe(values.filter((value) => value < item).length);
    }),
  );
});
