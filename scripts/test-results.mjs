/**
 * Adds up vitest's JSON reports and prints one plain line, `N passed, N failed, N skipped`, for whoever reads only the end
 * of a log. As a command: `node scripts/test-results.mjs <folder>`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The arguments that make vitest print as usual and leave a report at `path` as well. */
export function reportTo(path) {
  return ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
}

export function closingLine(folder) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    const counts = count(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  return `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`;
}

export function count(report) {
  const skipped = report.numPendingTests + report.numTodoTests;
  return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles(report), skipped };
}

/** A file that cannot even be loaded runs no test and would otherwise count as nothing. */
function brokenFiles(report) {
  return report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    .length;
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(closingLine(resolve(process.argv[2] ?? '.')));
