/**
 * Does what a new user does after `npm ci`: `npm start` in an empty data home, and a look at every address that the gateway, its banner
 * and the README offer. Passes when all of them answer and the gateway, told to stop, leaves within its time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenAddresses } from './public-addresses.mjs';

const answerWithinMs = 120_000; // building included
const stopWithinMs = 30_000;

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const home = mkdtempSync(join(tmpdir(), 'switchyard-first-answer-'));
const started = performance.now();
const child = spawn('npm', ['start', '--', '--home', home], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'pipe'],
  detached: true,
});
let output = '';
child.stderr.setEncoding('utf8').on('data', (text) => {
  process.stderr.write(text);
  output += text;
});
const exited = once(child, 'exit');

try {
  const { url, pid } = await within(answerWithinMs, gatewayReady());
  const answer = await fetch(new URL('/healthz', url));
  if (!answer.ok) throw new Error(`/healthz answered ${answer.status}`);
  const seconds = (performance.now() - started) / 1000;
  console.log(`${url} answered ${seconds.toFixed(1)} s after npm start`);
  await within(answerWithinMs, bannerPrinted());
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const broken = await brokenAddresses(url, { texts: [output, readme] });
  if (broken.length > 0) throw new Error(broken.join('\n'));
  console.log('Every public address answered.');
  process.kill(pid, 'SIGTERM');
  await within(stopWithinMs, exited);
  console.log('The gateway stopped when it was told to.');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL');
  rmSync(home, { recursive: true, force: true });
}

async function gatewayReady() {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended with exit code ${child.exitCode}`);
    try {
      return JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8'));
    } catch {
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}

/** Its last line says how to stop. */
async function bannerPrinted() {
  while (!output.includes('Ctrl-C')) await new Promise((done) => setTimeout(done, 50));
}

async function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Nothing happened within ${ms / 1000} s`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
