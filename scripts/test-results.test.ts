import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closingLine, failures } from './test-results.mjs';

const quiet = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
  otherErrors: [],
};

it('adds up all reports of a folder, counts a file that could not be loaded as failed, and names what failed or was not caught', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-reports-'));
  const broken = {
    name: 'broken.test.ts',
    status: 'failed',
    message: 'no such module',
    assertionResults: [],
  };
  const failing = {
    name: 'failing.test.ts',
    status: 'failed',
    message: '',
    assertionResults: [
      { status: 'passed', fullName: 'fine', failureMessages: [] },
      { status: 'failed', fullName: 'lost', failureMessages: ['expected 1 to be 2'] },
    ],
  };
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ ...quiet, numPassedTests: 3, numPendingTests: 1 }));
  writeFileSync(
    join(folder, 'b.json'),
    JSON.stringify({
      ...quiet,
      numPassedTests: 2,
      numFailedTests: 1,
      testResults: [broken, failing],
      otherErrors: ['No test caught this'],
    }),
  );
  expect(closingLine(folder)).toBe('5 passed, 3 failed, 1 skipped');
  expect(failures(folder)).toEqual([
    'broken.test.ts\nno such module',
    'failing.test.ts: lost\nexpected 1 to be 2',
    'No test caught this',
  ]);
  rmSync(folder, { recursive: true });
});
