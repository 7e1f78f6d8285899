/**
 * Adds up vitest's JSON reports for readers who see only the end of a log: what failed and why, then one plain line, `N
 * passed, N failed, N skipped`. As a command: `node scripts/test-results.mjs <folder>`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const reporter = fileURLToPath(new URL('./test-reporter.mjs', import.meta.url));

/** The arguments that make vitest print as usual and leave a report at `path` as well. */
export function reportTo(path) {
  return ['--reporter=default', `--reporter=${reporter}`, `--outputFile.json=${path}`];
}

export function closingLine(folder) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const report of reportsIn(folder)) {
    const counts = count(report);
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  return `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`;
}

/** File, name and message of each test that failed and of each file that could not be loaded, and the errors of no test. */
export function failures(folder) {
  return reportsIn(folder).flatMap(({ testResults, otherErrors }) => [
    ...testResults.flatMap(failuresIn),
    ...otherErrors,
  ]);
}

function failuresIn({ name, status, message, assertionResults }) {
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && assertionResults.length === 0) return [`${name}\n${message}`];
  return failed.map(({ fullName, failureMessages }) => `${name}: ${fullName}\n${failureMessages.join('\n')}`);
}

function reportsIn(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
}

export function count(report) {
  const skipped = report.numPendingTests + report.numTodoTests;
  const failed = report.numFailedTests + brokenFiles(report) + report.otherErrors.length;
  return { passed: report.numPassedTests, failed, skipped };
}

/** A file that cannot even be loaded runs no test and would otherwise count as nothing. */
function brokenFiles(report) {
  return report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    .length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? '.');
  for (const failure of failures(folder)) console.log(`✗ ${failure}\n`);
  console.log(closingLine(folder));
}
