/**
 * `npm run test:all`: every test there is, the built binary and the kill rounds and drills included. What a machine lacks makes a
 * test fail here instead of skipping it. `--only e2e,chaos` runs those projects alone; `--rounds 100` sets the
 * kills of chaos and drills. `--reports <folder>` adds the reports to those of other calls, whose sum the caller prints.
 * built and e2e test the package as it is installed: that of `--package <folder>`, or one that is installed for this call.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installPackage } from './install-package.mjs';
import { closingLine, reportTo } from './test-results.mjs';

/** These run one after the other, because each project from built on needs the machine for itself. */
const runs = [
  ['unit', 'http'],
  ['services'],
  ['built'],
  ['e2e'],
  ['browser'],
  ['try-proxies'],
  ['try-deploy'],
  ['try-image'],
  ['try-compose'],
  ['chaos'],
  ['drill'],
];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    reports: { type: 'string' },
    package: { type: 'string' },
  },
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
if (!runNode(['scripts/build.mjs', '--if-stale'])) failed.push('build');
const installs = mkdtempSync(join(tmpdir(), 'switchyard-package-'));
let tested = values.package ?? process.env.SWITCHYARD_TEST_PACKAGE;
for (const projects of runs) {
  const chosen = projects.filter((project) => only.includes(project));
  if (chosen.length === 0) continue;
  const report = reportTo(join(reports, `${chosen.join('-')}.json`));
  const selection = chosen.flatMap((project) => ['--project', project]);
  const isOfPackage = chosen.some((project) => project === 'built' || project === 'e2e');
  if (isOfPackage) tested ??= installPackage(installs);
  const more = isOfPackage ? { SWITCHYARD_TEST_PACKAGE: tested } : {};
  if (!runNode(['node_modules/vitest/vitest.mjs', 'run', ...selection, ...report], more))
    failed.push(chosen.join(' and '));
}
rmSync(installs, { recursive: true });
console.log(failed.length > 0 ? `\nFailed: ${failed.join(', ')}` : '\nEverything passed.');
if (values.reports === undefined) console.log(closingLine(reports));
process.exitCode = failed.length > 0 ? 1 : 0;

function runNode(args, more = {}) {
  const env = { ...environment, ...more };
  return spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env }).status === 0;
}
