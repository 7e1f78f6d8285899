import { expect, it } from 'vitest';
import { editsOf } from './parameter-edits.ts';

const parameters = [
  { name: 'seed', label: 'Seed', hidden: false },
  { name: 'steps', label: 'Steps', hidden: true },
];

it('sends only what was changed of how parameters are shown', () => {
  expect(editsOf(parameters, new Map())).toEqual([]);
  const shown = new Map([
    ['seed', { label: ' Luck ', hidden: false }],
    ['steps', { label: 'Steps', hidden: false }],
  ]);
  expect(editsOf(parameters, shown)).toEqual([
    { name: 'seed', label: 'Luck' },
    { name: 'steps', hidden: false },
  ]);
  expect(editsOf(parameters, new Map([['seed', { label: 'Seed', hidden: false }]]))).toEqual([]);
});
