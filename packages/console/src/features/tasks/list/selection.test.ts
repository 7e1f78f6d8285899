import { expect, it } from 'vitest';
import { choose, chooseEverything, chooseRows, nextRow, nothingChosen, withoutGone } from './selection.ts';

const keys = ['c', 'b', 'a'];

it('chooses and leaves single rows', () => {
  const one = choose(nothingChosen, 'b', true);
  expect([...one.chosen]).toEqual(['b']);
  expect(choose(one, 'b', false)).toEqual(nothingChosen);
});

it('means only the rows that are named again after a row was left', () => {
  const everything = chooseEverything(chooseRows(keys, true));
  expect(everything.all).toBe(true);
  expect(choose(everything, 'a', false)).toEqual({ chosen: new Set(['c', 'b']), all: false });
});

it('forgets rows that are gone', () => {
  expect([...withoutGone(chooseRows(keys, true), ['b']).chosen]).toEqual(['b']);
});

it('moves from row to row and stops at the ends', () => {
  expect(nextRow(keys, null, 1)).toBe('c');
  expect(nextRow(keys, 'c', 1)).toBe('b');
  expect(nextRow(keys, 'a', 1)).toBe('a');
  expect(nextRow(keys, 'c', -1)).toBe('c');
  expect(nextRow(keys, 'gone', 1)).toBe('c');
  expect(nextRow([], null, 1)).toBeNull();
});
