import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OrderedList } from './ordered-list.ts';

test('a list stays in order after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ value: fc.integer(), drop: fc.nat(3) }), { maxLength: 60 }), (steps) => {
      const list = new OrderedList<number>((a, b) => a < b);
      const expected: number[] = [];
      for (const { value, drop } of steps) {
        list.add(value);
        expected.push(value);
        if (drop > 0) continue;
        const [dropped] = expected.splice(Math.abs(value) % expected.length, 1);
        if (dropped !== undefined) list.remove(dropped);
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

test('removes that item, and not another one that is equal', () => {
  const list = new OrderedList<{ key: number }>((a, b) => a.key < b.key);
  const items = [1, 2, 2, 2, 3].map((key) => ({ key }));
  for (const item of items) list.add(item);
  const [, , second] = items;
  if (second) list.remove(second);
  expect([...list].map((item) => items.indexOf(item))).toEqual([0, 1, 3, 4]);
});

test('stays in order while items are taken from its front and others come at its end', () => {
  const list = new OrderedList<number>((a, b) => a < b);
  const taken: number[] = [];
  for (let value = 0; value < 1_000; value += 1) {
    list.add(value);
    if (value % 3 === 0) continue;
    taken.push(list.first ?? -1);
    list.remove(list.first ?? -1);
  }
  const rest = [...list];
  expect([...taken, ...rest]).toEqual(Array.from({ length: 1_000 }, (_, value) => value));
  expect(list.size).toBe(rest.length);
  for (const value of rest) list.remove(value);
  expect([list.size, list.first]).toEqual([0, null]);
});

test('counts the items before an item', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: 0, max: 9 }), (values, item) => {
      const list = new OrderedList<number>((a, b) => a < b);
      for (const value of values) list.add(value);
      expect(list.countBefore(item)).toBe(values.filter((value) => value < item).length);
    }),
  );
});
