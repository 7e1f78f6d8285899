import { expect, it } from 'vitest';
import { followerAfter } from './follower.ts';

const order = ['a', 'b', 'c', 'd'];
const all = (ids: string[]) =>
  (['start', 'earlier', 'later', 'end'] as const).map((to) => followerAfter(to, { ids, order }));

it('moves one file by one place, or to an edge', () => {
  expect(all(['c'])).toEqual(['a', 'b', null, null]);
  expect(all(['b'])).toEqual(['a', 'a', 'd', null]);
});

it('stands at an edge already', () => {
  expect(all(['a'])).toEqual([undefined, undefined, 'c', null]);
  expect(all(['d'])).toEqual(['a', 'c', undefined, undefined]);
  expect(all(order)).toEqual([undefined, undefined, undefined, undefined]);
});

it('brings files together that stood apart', () => {
  expect(all(['a', 'c'])).toEqual(['b', undefined, null, null]);
  expect(all(['b', 'd'])).toEqual(['a', 'a', undefined, null]);
});
