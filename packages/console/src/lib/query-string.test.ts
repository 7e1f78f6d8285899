import { expect, it } from 'vitest';
import { changeQuery } from './query-string.ts';

it('sets a value and keeps the rest of the query', () => {
  expect(changeQuery('?status=failed&q=cat', { status: 'running' })).toBe('?status=running&q=cat');
});

it('removes a name whose value is null or empty, and the question mark with the last one', () => {
  expect(changeQuery('?a=1&b=2', { a: null })).toBe('?b=2');
  expect(changeQuery('?a=1', { a: '' })).toBe('');
});

it('escapes what a user has typed', () => {
  expect(changeQuery('', { q: 'a&b=c #1' })).toBe('?q=a%26b%3Dc+%231');
});
