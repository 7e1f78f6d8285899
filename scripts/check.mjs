/**
 * `npm run check`: everything that CI asks of the source apart from tests. All steps run, whatever fails before them; the
 * end says which ones failed. Names as arguments run only those steps, and show what each prints when it passes.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const steps = [
  {
    name: 'lint',
    command: ['biome', 'ci', '--colors=off', '.'],
    asks: 'format, imports, lint rules, promises',
  },
  { name: 'types', command: ['tsc'], asks: 'types of everything that runs on Node' },
  {
    name: 'console-types',
    command: ['tsc', '-p', 'packages/console'],
    asks: 'types of the web console',
  },
  {
    name: 'browser-types',
    command: ['tsc', '-p', 'test/browser'],
    asks: 'types of the tests in a browser',
  },
  {
    name: 'house',
    command: ['tsx', 'scripts/checks/house.ts'],
    asks: 'layers, cycles, sizes, names, language, lockfile, paths',
  },
  { name: 'unused', command: ['knip', '--no-config-hints'], asks: 'unused files, exports and dependencies' },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !steps.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(
    `No such step: ${unknown.join(', ')}. There are: ${steps.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

const chosen = steps.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const results = await runAll(chosen, Math.min(2, availableParallelism()));
for (const { step, seconds, passed } of results)
  console.log(`${passed ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(14)} ${seconds.toFixed(1)} s  ${step.asks}`);
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;

async function runAll(todo, lanes) {
  const queue = [...todo];
  const done = [];
  const lane = async () => {
    for (let step = queue.shift(); step !== undefined; step = queue.shift()) done.push(await run(step));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done.sort((a, b) => steps.indexOf(a.step) - steps.indexOf(b.step));
}

/** Prints a step's own output in one piece, so that two steps never mix their lines: when it failed or was asked for. */
function run(step) {
  const started = performance.now();
  const [name, ...args] = step.command;
  const child = spawn(resolve(root, 'node_modules/.bin', name), args, { cwd: root });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  return new Promise((done) => {
    child.on('error', (error) => finish(false, `${name} cannot be started: ${error.message}\n`));
    child.on('close', (code) => finish(code === 0, Buffer.concat(output).toString('utf8')));

    function finish(passed, text) {
      if (!passed || (wanted.length > 0 && text !== ''))
        console.log(`── ${step.name}: ${step.command.join(' ')}\n${text.trimEnd()}\n`);
      done({ step, passed, seconds: (performance.now() - started) / 1000 });
    }
  });
}
