import { environment } from '@switchyard/server/config/env';
import { runCli } from './cli.ts';

/** A handle that was not closed keeps a finished command alive for no longer than this. */
const lingerMs = 2_000;

// A reader that stops early (`| head`) is not an error.
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
