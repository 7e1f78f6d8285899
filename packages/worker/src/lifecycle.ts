import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readWorkerFile } from './worker-file.ts';

/**
 * The functions of a supervisor, without the server: find the worker of a directory, adopt it, launch one, stop it.
 *
 *     const worker = (await findWorker(dir)) ?? (await launchWorker({ dir, command }));
 *     const isThere = await adoptWorker(worker, 'gateway-1'); // every 15 s; false: find or launch again
 *
 * An adopted worker ends 60 s after the last adoption, so it outlives a gateway that crashes, and the next one finds it.
 */
export interface FoundWorker {
  port: number;
  url: string;
  pid: number;
  token: string;
  startedAt: string;
  adoptedBy: string | null;
}

const answerTimeoutMs = 2000;
const launchTimeoutMs = 20_000;
/** The time that a stop may take: the running prompt is interrupted, and a file that is being written is finished. */
const endTimeoutMs = 3_000;
const lookAgainMs = 20;

/** The interval between calls of `adoptWorker`. A gateway may miss three before its worker treats it as dead. */
export const adoptEveryMs = 15_000;

/**
 * The live worker of this directory. Returns undefined when there is none, or when another program listens on its port
 * now: only the worker that wrote worker.json knows its token.
 */
export async function findWorker(dir: string): Promise<FoundWorker | undefined> {
  const file = await readWorkerFile(dir);
  if (file === undefined) return undefined;
  const url = `http://127.0.0.1:${file.port}`;
  const identity = await ask({ url, token: file.token }, 'GET', '/reference/identity');
  if (identity?.startedAt !== file.startedAt) return undefined;
  const { adoptedBy } = identity;
  return { ...file, url, adoptedBy: typeof adoptedBy === 'string' ? adoptedBy : null };
}

/** The last port of the worker of this directory. It takes the port again if it is free. */
export async function lastPort(dir: string): Promise<number | undefined> {
  return (await readWorkerFile(dir))?.port;
}

/** Tells the worker that its gateway is alive; false when the worker is gone. */
export async function adoptWorker(worker: Address, gateway: string): Promise<boolean> {
  return (await ask(worker, 'POST', '/reference/adopt', { gateway })) !== undefined;
}

/**
 * Asks the worker to end, which interrupts its prompt, and resolves when it has ended. Returns false when it was gone
 * already.
 */
export async function stopWorker(worker: Address & Partial<Pick<FoundWorker, 'pid'>>): Promise<boolean> {
  if ((await ask(worker, 'POST', '/reference/stop')) === undefined) return false;
  const deadline = Date.now() + endTimeoutMs;
  const { pid } = worker;
  while (pid !== undefined && send(pid, 0) && Date.now() < deadline) await delay(lookAgainMs);
  return true;
}

/**
 * Starts a worker in a process group of its own, and resolves when it can take work. Its output is in worker.log. A
 * worker that does not come up, or whose start is aborted, is ended.
 */
export async function launchWorker({
  dir,
  command,
  port,
  paceMs,
  signal,
}: {
  dir: string;
  /** How to start the worker's process, without its options: `[process.execPath, '…/worker/main.js']`. */
  command: readonly [file: string, ...args: string[]];
  port?: number;
  paceMs?: number;
  signal?: AbortSignal;
}): Promise<FoundWorker> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const [file, ...args] = command;
  const last = await readWorkerFile(dir);
  const log = await open(join(dir, 'worker.log'), 'w', 0o600);
  try {
    const options = [
      ...['--dir', dir, '--adopted'],
      ...(port === undefined ? [] : ['--port', String(port)]),
      ...(paceMs === undefined ? [] : ['--pace-ms', String(paceMs)]),
    ];
    const child = spawn(file, [...args, ...options], { detached: true, stdio: ['ignore', log.fd, log.fd] });
    const end = new Promise<never>((_, reject) => {
      child.once('error', reject);
      child.once('exit', (code) => {
        reject(new Error(`The worker ended at once with code ${code}; see ${join(dir, 'worker.log')}.`));
      });
    });
    child.unref();
    try {
      return await Promise.race([end, appearance(dir, { after: last?.startedAt, signal })]);
    } catch (error) {
      await endGroup(child);
      throw error;
    }
  } finally {
    await log.close();
  }
}

/** A loader may stand between the child and the worker. */
async function endGroup({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const deadline = Date.now() + endTimeoutMs;
    for (let isThere = send(-pid, signal); isThere && Date.now() < deadline; isThere = send(-pid, 0))
      await delay(lookAgainMs);
  }
}

/** Returns false when no process has that id; a negative id is a group. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

type Address = Pick<FoundWorker, 'url' | 'token'>;

/** The process that answers may be a grandchild: a loader may stand in between. */
async function appearance(
  dir: string,
  { after, signal }: { after: string | undefined; signal: AbortSignal | undefined },
): Promise<FoundWorker> {
  const deadline = Date.now() + launchTimeoutMs;
  while (Date.now() < deadline) {
    const found = await findWorker(dir);
    if (found !== undefined && found.startedAt !== after) return found;
    await delay(50, undefined, { ...(signal && { signal }) });
  }
  throw new Error(
    `The worker did not come up within ${launchTimeoutMs / 1000} s; see ${join(dir, 'worker.log')}.`,
  );
}

/** Returns the answer as an object, or undefined in every other case: refused, too slow, another status, not JSON. */
async function ask(
  { url, token }: Address,
  method: 'GET' | 'POST',
  path: string,
  body: unknown = {},
): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      redirect: 'error',
      headers: { 'x-reference-token': token, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerTimeoutMs),
    });
    const answer: unknown = response.ok ? await response.json() : undefined;
    return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
