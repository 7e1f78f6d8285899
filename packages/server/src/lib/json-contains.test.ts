import { expect, it } from 'vitest';
import { jsonContains } from './json-contains.ts';

const present = { a: { b: 1, c: ['x', { d: 2, e: 3 }] }, f: null };

it.each([
  [{}],
  [{ a: {} }],
  [{ a: { b: 1 } }],
  [{ a: { c: [] } }],
  [{ a: { c: [{ d: 2 }] } }],
  [{ a: { c: [{ e: 3 }, 'x'] } }],
  [{ f: null }],
])('a value contains each part of itself: %j', (wanted) => {
  expect(jsonContains(present, wanted)).toBe(true);
});

it.each([
  [{ a: 1 }],
  [{ a: [] }],
  [{ a: { b: '1' } }],
  [{ a: { c: ['y'] } }],
  [{ g: null }],
  [{ f: {} }],
  [[]],
])('a value does not contain what it lacks: %j', (wanted) => {
  expect(jsonContains(present, wanted)).toBe(false);
});
