import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Peer {
  pid: number;
  /** The first line of its output. */
  says: string;
  /** Sends a line and resolves with the line that answers it. Only one question is open at a time. */
  ask: (line: string) => Promise<string>;
  stop: () => void;
}

const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A program of benchmarks/peers in a process of its own. It ends with this process in every case. */
export async function startPeer(
  script: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } = {},
): Promise<Peer> {
  const path = join(import.meta.dirname, '../peers', script);
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Without it LangChain loses most token events under load.
    env: { ...process.env, LANGCHAIN_CALLBACKS_BACKGROUND: 'false', LOG_LEVEL: 'error', ...env },
  });
  running.add(child);
  const gone = once(child, 'exit').then(([code]) => {
    running.delete(child);
    throw new Error(`${script} ended with ${code} before it had answered.`);
  });
  gone.catch(() => undefined); // after the last answer nothing handles this rejection
  const lines = createInterface(child.stdout);
  const nextLine = async (): Promise<string> => {
    const [line] = await Promise.race([once(lines, 'line'), gone]);
    return String(line);
  };
  return {
    pid: child.pid ?? 0,
    says: await nextLine(),
    ask: (line) => {
      const answer = nextLine();
      child.stdin.write(`${line}\n`);
      return answer;
    },
    stop: () => child.kill('SIGKILL'),
  };
}
