import { expect, it } from 'vitest';
import { columnsIn } from './shown-columns.ts';

it('shows all but the user of a task until somebody chooses', () => {
  expect([...columnsIn(null)]).toEqual(['result', 'instance', 'waited', 'ran', 'created']);
});

it('shows what was chosen, also when that is nothing, and leaves out what is not a column', () => {
  expect([...columnsIn('owner ran weight')]).toEqual(['owner', 'ran']);
  expect([...columnsIn('')]).toEqual([]);
});
