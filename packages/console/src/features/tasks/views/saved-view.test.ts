import { expect, it } from 'vitest';
import { viewIn } from './saved-view.ts';

it('reads a view as an address is read, and leaves out what makes no sense', () => {
  expect(viewIn('Night', { search: '?status=failed&tag=night&open=1&status2=x' })).toEqual([
    { name: 'Night', search: '?status=failed&tag=night' },
  ]);
  expect(viewIn('Odd', { search: 'javascript:alert(1)' })).toEqual([{ name: 'Odd', search: '' }]);
  expect(viewIn('Foreign', { colour: 'blue' })).toEqual([]);
});
