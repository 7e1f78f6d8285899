/**
 * `npm run dev`: the gateway from source, started again whenever a source file changes. Arguments go to `switchyard up`.
 */
import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const tsx = resolve(root, 'node_modules/tsx/dist/cli.mjs');

const child = spawn(
  process.execPath,
  [tsx, 'watch', '--clear-screen=false', 'packages/cli/src/main.ts', 'up', ...process.argv.slice(2)],
  {
    cwd: root,
    stdio: 'inherit',
    // A restart must not wait for streams that a browser keeps open.
    env: { SWITCHYARD__SERVER__SHUTDOWN_GRACE: '0s', ...process.env },
  },
);
// The terminal sends Ctrl-C to the child as well. Ending before the child would print its last lines behind the prompt.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
});
