import { environment } from '@switchyard/server/config/env';
import { runCli } from './cli.ts';

/** How long a handle that nobody closed may keep a finished command alive. */
const lingerMs = 2_000;

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), {
  env: environment(),
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
setTimeout(() => process.exit(), lingerMs).unref();
