import { environment } from '@switchyard/server/config/env';
import { runCli } from './cli.ts';

/** How long a handle that nobody closed may keep a finished command alive. */
const lingerMs = 2_000;

process.exitCode = await runCli(process.argv.slice(2), {
  env: environment(),
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
});
setTimeout(() => process.exit(), lingerMs).unref();
