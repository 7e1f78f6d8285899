import { expect, it } from 'vitest';
import { chosenAfter } from './choose.ts';

const order = ['a', 'b', 'c', 'd'];

it('adds one and takes it away again', () => {
  expect([...chosenAfter(new Set(), { id: 'b', last: null, order })]).toEqual(['b']);
  expect([...chosenAfter(new Set(['b']), { id: 'b', last: null, order })]).toEqual([]);
});

it('chooses everything between two, in both directions', () => {
  expect([...chosenAfter(new Set(['d']), { id: 'b', last: 'd', order })].sort()).toEqual(['b', 'c', 'd']);
  expect([...chosenAfter(new Set(['a']), { id: 'c', last: 'a', order })]).toEqual(['a', 'b', 'c']);
});

it('treats one as a click when the last one is gone', () => {
  expect([...chosenAfter(new Set(), { id: 'c', last: 'gone', order })]).toEqual(['c']);
});
