import { spawn } from 'node:child_process';

/** Restarts a server from outside: runs a shell command, which ends when the server has been restarted. */
export function restartByCommand(command: string, patienceMs: number): () => Promise<void> {
  return () =>
    new Promise((resolve, reject) => {
      // Its output is not part of the report.
      const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2], timeout: patienceMs });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`The restart command ended with ${signal ?? `exit code ${code}`}.`));
      });
    });
}
