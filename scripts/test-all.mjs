/**
 * `npm run test:all`: every test there is, the built binary and the kill rounds and drills included. What a machine lacks makes a
 * test fail here instead of skipping it. `--only e2e,chaos` runs those projects alone; `--rounds 100` sets the
 * kills of chaos and drills. `--reports <folder>` adds the reports to those of other calls, whose sum the caller prints.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { closingLine, reportTo } from './test-results.mjs';

/** These run one after the other, because each project from built on needs the machine for itself. */
const runs = [
  ['unit', 'http'],
  ['services'],
  ['built'],
  ['e2e'],
  ['browser'],
  ['try-proxies'],
  ['chaos'],
  ['drill'],
];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string' }, reports: { type: 'string' } },
});
const only = values.only?.split(',') ?? runs.flat();
const reports = resolve(values.reports ?? join(root, '.build/test-reports'));

if (values.reports === undefined) rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

const environment = {
  CHAOS_ROUNDS: '5',
  ...process.env,
  ...(values.rounds !== undefined && { CHAOS_ROUNDS: values.rounds }),
  CI: 'true',
};
const failed = [];
if (!runNode('scripts/build.mjs', '--if-stale')) failed.push('build');
for (const projects of runs) {
  const chosen = projects.filter((project) => only.includes(project));
  if (chosen.length === 0) continue;
  const report = reportTo(join(reports, `${chosen.join('-')}.json`));
  const selection = chosen.flatMap((project) => ['--project', project]);
  if (!runNode('node_modules/vitest/vitest.mjs', 'run', ...selection, ...report))
    failed.push(chosen.join(' and '));
}
console.log(failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : '\nEverything passed.');
if (values.reports === undefined) console.log(closingLine(reports));
process.exitCode = failed.length > 0 ? 1 : 0;

function runNode(...args) {
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: environment }).status === 0;
}
