import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MinHeap } from './min-heap.ts';

test('a heap gives its items in ascending order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), (values) => {
      const heap = new MinHeap<number>((a, b) => a < b);
      for (const value of values) heap.push(value);
      const popped: number[] = [];
      for (let top = heap.pop(); top !== undefined; top = heap.pop()) popped.push(top);
      expect(popped).toEqual([...values].sort((a, b) => a - b));
    }),
  );
});
