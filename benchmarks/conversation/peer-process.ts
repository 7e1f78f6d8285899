import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Peer {
  /** The first line of its output. */
  says: string;
  stop: () => void;
}

const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program of benchmarks/peers in a process of its own. It ends with this process in every case. */
export async function startPeer(script: string, { args = [] }: { args?: string[] } = {}): Promise<Peer> {
  const path = join(import.meta.dirname, '../peers', script);
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // Without it LangChain loses most token events under load.
    env: { ...process.env, LANGCHAIN_CALLBACKS_BACKGROUND: 'false', LOG_LEVEL: 'error' },
  });
  running.add(child);
  const gone = once(child, 'exit').then(([code]) => {
    running.delete(child);
    throw new Error(`${script} ended with ${code} before it had said anything.`);
  });
  gone.catch(() => undefined); // after the race nothing handles this rejection
  const [says] = await Promise.race([once(createInterface(child.stdout), 'line'), gone]);
  return { says: String(says), stop: () => child.kill('SIGKILL') };
}
