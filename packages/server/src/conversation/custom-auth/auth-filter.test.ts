import { describe, expect, it } from 'vitest';
import { narrowed, passes, readFilter } from './auth-filter.ts';

describe('a filter of an on handler', () => {
  it.each([
    [{ owner: 'ada' }, { owner: 'ada', a: 1 }, true],
    [{ owner: 'ada' }, { owner: 'bob' }, false],
    [{ owner: 'ada' }, {}, false],
    [{ owner: 'ada' }, { owner: ['ada'] }, false],
    [{ owner: { $eq: 'ada' } }, { owner: 'ada' }, true],
    [{ owner: { $eq: 'ada' } }, { owner: 'adam' }, false],
    [{ tags: { $contains: 'red' } }, { tags: ['blue', 'red'] }, true],
    [{ tags: { $contains: 'red' } }, { tags: 'red' }, false],
    [{ tags: { $contains: 'red' } }, { tags: ['blue'] }, false],
    [{ tags: { $contains: ['red', 'blue'] } }, { tags: ['blue', 'green', 'red'] }, true],
    [{ tags: { $contains: ['red', 'blue'] } }, { tags: ['green', 'red'] }, false],
    [{ tags: { $contains: ['red'] } }, { tags: 'red' }, false],
    [{ tags: { $contains: [] } }, { tags: 'red' }, false],
    [{ owner: 'ada', tags: { $contains: 'red' } }, { owner: 'ada', tags: [] }, false],
  ])('%j lets %j pass: %s', (answer, metadata, isPassed) => {
    expect(passes(metadata, readFilter(answer) ?? {})).toBe(isPassed);
  });

  it.each([
    { owner: 5 },
    { owner: null },
    { owner: undefined },
    { owner: {} },
    { owner: { $in: ['a'] } },
    { owner: { $eq: 'a', $contains: 'b' } },
    { owner: { $eq: 5 } },
    { owner: { $eq: ['a'] } },
    { tags: { $contains: [5] } },
    { tags: { $contains: Array.from({ length: 21 }, () => 'a') } },
    { owner: 'x'.repeat(2_000) },
    { [`${'x'.repeat(129)}`]: 'a' },
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`key${index}`, 'a'])),
  ])('that is none is a fault of the handler, and never a filter that lets more pass: %j', (answer) => {
    expect(() => readFilter(answer)).toThrow('authentication');
  });

  it('without keys narrows nothing', () => {
    expect(readFilter({})).toBeNull();
  });
});

describe('a search that is narrowed', () => {
  it.each([
    [null, { a: 'x' }, { a: 'x' }],
    [{ b: 1 }, { a: 'x' }, { b: 1, a: 'x' }],
    [{ a: 'x' }, { a: 'x' }, { a: 'x' }],
    [{ a: ['y'] }, { a: ['x'] }, { a: ['y', 'x'] }],
    [{ a: 'y' }, { a: 'x' }, null],
    [{ a: null }, { a: 'x' }, null],
    [{ a: { b: 1 } }, { a: 'x' }, null],
    [{ a: 'x' }, { a: ['x'] }, null],
  ])('for %j by %j asks for %j', (asked, filter, both) => {
    expect(narrowed(asked, filter)).toEqual(both);
  });
});
