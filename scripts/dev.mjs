/**
 * `npm run dev`: the gateway from source, started again whenever a source file changes, and beside it the console from source, with
 * the page `/kit` that shows each of its parts. Vite prints the address of the console. Arguments go to `switchyard up`.
 */
import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const tsx = resolve(root, 'node_modules/tsx/dist/cli.mjs');
const vite = resolve(root, 'node_modules/vite/bin/vite.js');

const gateway = spawn(
  process.execPath,
  [tsx, 'watch', '--clear-screen=false', 'packages/cli/src/main.ts', 'up', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    // A restart must not wait for streams that a browser keeps open.
    env: { SWITCHYARD__SERVER__SHUTDOWN_GRACE: '0s', ...process.env },
  },
);
const page = spawn(process.execPath, [vite, 'packages/console', '--port', '7301', '--clearScreen', 'false'], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
});
// The terminal sends Ctrl-C to the children as well. Ending before them would print their last lines behind the prompt.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => gateway.kill('SIGTERM'));
gateway.on('exit', (code, signal) => {
  page.kill('SIGTERM');
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
});
