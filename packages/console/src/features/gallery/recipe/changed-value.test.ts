import { expect, it } from 'vitest';
import { changedValue } from './changed-value.ts';

it('reads what was typed as the type that the value had', () => {
  expect(changedValue(20, '30')).toBe(30);
  expect(changedValue(20, '20')).toBeUndefined();
  expect(changedValue(20, 'many')).toBeUndefined();
  expect(changedValue(20, ' ')).toBeUndefined();
  expect(changedValue(false, 'true')).toBe(true);
  expect(changedValue('a', '7')).toBe('7');
});
