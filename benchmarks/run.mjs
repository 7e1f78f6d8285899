/**
 * `npm run bench`: every measure; `npm run bench start group-commit`: those. Each measure is one file of
 * benchmarks/measures that prints its figures beside the baseline of the same run. With `BENCH_REHEARSAL=1` each measure
 * is run shortly, and results.md stays as it is. Fails when a measure cannot be taken;
 * whether its bars are met is in the figures.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeResultsTable } from './results-table.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const root = resolve(folder, '..');
const names = readdirSync(join(folder, 'measures'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => basename(file, '.ts'));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  console.error(`No such measure: ${unknown.join(', ')}. There are: ${names.join(', ')}.`);
  process.exit(2);
}

if (!peersAreInstalled()) must('npm', ['ci', '--no-fund', '--no-audit'], folder);
must(process.execPath, ['scripts/build.mjs', '--if-stale'], root);

/** A measure that takes longer has hung. */
const maxMs = 15 * 60_000;
const failed = [];
for (const name of wanted.length > 0 ? wanted : names) {
  const script = join(folder, 'measures', `${name}.ts`);
  const { status } = spawnSync(process.execPath, ['--import', 'tsx', script], {
    cwd: root,
    stdio: 'inherit',
    timeout: maxMs,
  });
  if (status !== 0) failed.push(name);
}
const isRehearsal = process.env.BENCH_REHEARSAL === '1';
if (!isRehearsal) writeResultsTable(folder);
console.log(
  `\n${isRehearsal ? 'Rehearsed, nothing written to' : 'Written to'} benchmarks/results.md${failed.length > 0 ? `, without ${failed.join(', ')}` : ''}.`,
);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Packages that only a benchmark needs are installed here, apart from the workspace, when the first benchmark runs. */
function peersAreInstalled() {
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(dependencies).every(([name, version]) => {
    const installed = join(folder, 'node_modules', name, 'package.json');
    return existsSync(installed) && JSON.parse(readFileSync(installed, 'utf8')).version === version;
  });
}

function must(command, args, cwd) {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error || status !== 0)
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
}
