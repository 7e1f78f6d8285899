import { spawn } from 'node:child_process';

/** How a server is started anew from outside: a command of the shell, which ends when the server has been restarted. */
export function restartByCommand(command: string, patienceMs: number): () => Promise<void> {
  return () =>
    new Promise((resolve, reject) => {
      // What it prints is no part of the report.
      const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2], timeout: patienceMs });
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`The restart command ended with ${signal ?? `exit code ${code}`}.`));
      });
    });
}
