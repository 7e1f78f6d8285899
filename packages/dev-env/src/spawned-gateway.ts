import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BinaryRun, type Exit, runBinary } from './binary.ts';
import { endWithThisProcess } from './end-with-this-process.ts';

interface SpawnOptions {
  /** The data home; it stays when the gateway ends, so that a second one can take over. */
  home: string;
  /** The folder in which it is started: its home, unless the test is about that. */
  cwd?: string;
  /** Replace the free port, which is the default for a test. */
  args?: string[];
  command?: readonly string[];
  env?: Record<string, string>;
  readyWithinMs?: number;
}

/** The built binary as a child process, ready to answer: what end-to-end and chaos tests and benchmarks talk to. */
export class SpawnedGateway {
  readonly url: string;
  readonly pid: number;
  readonly home: string;
  readonly #run: BinaryRun;

  private constructor(run: BinaryRun, { url, pid, home }: { url: string; pid: number; home: string }) {
    this.#run = run;
    this.url = url;
    this.pid = pid;
    this.home = home;
  }

  /** Resolves when /readyz answers 200. Throws with the output of the gateway when it ends or stays silent. */
  static async start(options: SpawnOptions): Promise<SpawnedGateway> {
    const { home, cwd = home, args = ['--port', '0'], env = {}, command, readyWithinMs = 90_000 } = options;
    const run = runBinary({ args: ['up', '--home', home, ...args], env, cwd, command });
    endWithThisProcess(run.child);
    const deadline = Date.now() + readyWithinMs;
    const gone = run.exited.then(({ code, signal }) => {
      throw new Error(`The gateway ended with ${signal ?? `exit code ${code}`}:\n${run.output()}`);
    });
    gone.catch(() => undefined); // after the race nothing handles this rejection
    const address = await Promise.race([gone, untilReady(run, { home, deadline })]);
    return new SpawnedGateway(run, { ...address, home });
  }

  output(): string {
    return this.#run.output();
  }

  get exited(): Promise<Exit> {
    return this.#run.exited;
  }

  /** Kills the gateway: data that it has not made durable by now is lost. */
  async kill9(): Promise<void> {
    process.kill(this.pid, 'SIGKILL');
    await this.#run.exited;
  }

  signal(signal: NodeJS.Signals): void {
    process.kill(this.pid, signal);
  }

  async stop(): Promise<Exit> {
    this.#run.child.kill('SIGTERM');
    return this.#run.exited;
  }
}

async function untilReady(
  run: BinaryRun,
  { home, deadline }: { home: string; deadline: number },
): Promise<{ url: string; pid: number }> {
  while (Date.now() < deadline) {
    const address = await readAddress(home);
    // The file of a killed predecessor names another process.
    if (address !== undefined && address.pid === run.child.pid) {
      if (await answers(new URL('/readyz', address.url))) return address;
    }
    await sleep(5);
  }
  run.child.kill('SIGKILL');
  throw new Error(`The gateway was not ready in time:\n${run.output()}`);
}

async function readAddress(home: string): Promise<{ url: string; pid: number } | undefined> {
  try {
    return JSON.parse(await readFile(join(home, 'gateway.json'), 'utf8')) as { url: string; pid: number };
  } catch {
    return undefined; // not written yet
  }
}

async function answers(url: URL): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
