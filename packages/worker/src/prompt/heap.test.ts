import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heapify, heapPop, heapPush } from './heap.ts';

const isLess = (left: number, right: number) => left < right;

describe('heap', () => {
  it('stands in the order of heapq after pushes', () => {
    const heap: number[] = [];
    for (const number of [12, -5.5, -13]) heapPush(heap, number, isLess);
    expect(heap).toEqual([-13, 12, -5.5]);
  });

  it('returns all items, smallest first', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (numbers) => {
        const heap: number[] = [];
        for (const number of numbers) heapPush(heap, number, isLess);
        const popped = numbers.map(() => heapPop(heap, isLess));
        expect(popped).toEqual([...numbers].sort((left, right) => left - right));
        expect(heapPop(heap, isLess)).toBeUndefined();
      }),
    );
  });

  it('makes a heap of any list', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), (numbers) => {
        const heap = [...numbers];
        heapify(heap, isLess);
        expect(heapPop(heap, isLess)).toBe(Math.min(...numbers));
      }),
    );
  });

  it('stays unchanged when two items cannot be compared', () => {
    const refusing = (left: number, right: number) => {
      if (left === right) throw new Error('not comparable');
      return left < right;
    };
    const heap: number[] = [];
    for (const number of [1, 5, 2, 9]) heapPush(heap, number, refusing);
    const before = [...heap];
    expect(() => heapPush(heap, 5, refusing)).toThrow('not comparable');
    expect(heap).toEqual(before);
  });
});
