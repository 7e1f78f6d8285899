import { type ChildProcess, spawn } from 'node:child_process';

/**
 * A shell that waits for the end of its input, which comes when this process ends, however that happens. Then it kills the
 * child, so that a run that is killed leaves no server behind.
 */
export function endWithThisProcess(child: ChildProcess, signal: 'KILL' | 'TERM' = 'KILL'): void {
  const script = 'read -r _; kill -s "$2" "$1" 2>/dev/null';
  const watch = spawn('sh', ['-c', script, 'watch', String(child.pid), signal], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watch.unref();
  child.once('exit', () => watch.kill('SIGKILL'));
}
