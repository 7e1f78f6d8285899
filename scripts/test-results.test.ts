import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { closingLine } from './test-results.mjs';

const quiet = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

it('adds up all reports of a folder, and counts a file that could not be loaded as failed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-reports-'));
  const broken = { status: 'failed', assertionResults: [] };
  const failing = { status: 'failed', assertionResults: [{ status: 'failed' }] };
  writeFileSync(join(folder, 'a.json'), JSON.stringify({ ...quiet, numPassedTests: 3, numPendingTests: 1 }));
  writeFileSync(
    join(folder, 'b.json'),
    JSON.stringify({ ...quiet, numPassedTests: 2, numFailedTests: 1, testResults: [broken, failing] }),
  );
  expect(closingLine(folder)).toBe('5 passed, 2 failed, 1 skipped');
  rmSync(folder, { recursive: true });
});
