import { expect, it } from 'vitest';
import { choose, chooseEverything, chooseRows, nothingChosen, withoutGone } from './selection.ts';

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
