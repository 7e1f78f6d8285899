import { expect, test } from 'vitest';
import { StatementNames } from './statement-names.ts';

test('a statement keeps its name, and one without parameters has none', () => {
  const names = new StatementNames();
  const first = names.of({ sql: 'select $1', parameters: [1] });
  expect(first).toBeDefined();
  expect(names.of({ sql: 'select $1', parameters: [2] })).toBe(first);
  expect(names.of({ sql: 'select $1, $2', parameters: [1, 2] })).not.toBe(first);
  expect(names.of({ sql: 'begin', parameters: [] })).toBeUndefined();
});

test('what comes after 500 statements has no name, and those before keep theirs', () => {
  const names = new StatementNames();
  for (let index = 0; index < 500; index += 1) {
    expect(names.of({ sql: `select ${index} where $1`, parameters: [true] })).toBeDefined();
  }
  expect(names.of({ sql: 'select $1', parameters: [1] })).toBeUndefined();
  expect(names.of({ sql: 'select 7 where $1', parameters: [true] })).toBeDefined();
});
