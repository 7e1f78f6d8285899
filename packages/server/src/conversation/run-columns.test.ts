import { expect, test } from 'vitest';
import { emptyRun } from '../../testing/journal-fixture.ts';
import { runColumns } from './run-columns.ts';

test('every column of a run is listed once, so that a new row is written whole', () => {
  expect([...runColumns].sort()).toEqual(Object.keys(emptyRun).sort());
});
