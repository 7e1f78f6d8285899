import { expect, it } from 'vitest';
import { holdRows } from './waiting-rows.ts';

interface Row {
  id: string;
  value?: number;
}

const keyOf = ({ id }: Row) => id;
const rows = (...ids: string[]): Row[] => ids.map((id) => ({ id }));
const hold = (now: Row[], known: string[]) => {
  const { shown, waiting } = holdRows(now, known, keyOf);
  return { shown: shown.map(keyOf), waiting };
};

it('lets new rows wait above those that are read', () => {
  expect(hold(rows('d', 'c', 'b', 'a'), ['b', 'a'])).toEqual({ shown: ['b', 'a'], waiting: 2 });
});

it('appends the next page, which moves nothing', () => {
  expect(hold(rows('c', 'b', 'a'), ['c', 'b'])).toEqual({ shown: ['c', 'b', 'a'], waiting: 0 });
});

it('changes a row in place and drops one that is gone', () => {
  const { shown } = holdRows([{ id: 'c', value: 2 }], ['c', 'b'], keyOf);
  expect(shown).toEqual([{ id: 'c', value: 2 }]);
});

it('keeps the known order when the answer has another one', () => {
  expect(hold(rows('a', 'b'), ['b', 'a'])).toEqual({ shown: ['b', 'a'], waiting: 0 });
});

it('lets everything wait when nothing that was read is left', () => {
  expect(hold(rows('x', 'y'), ['b', 'a'])).toEqual({ shown: [], waiting: 2 });
});
