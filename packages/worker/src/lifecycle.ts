import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readWorkerFile } from './worker-file.ts';

/**
 * What a supervisor needs and nothing of the server: find the worker of a directory, adopt it, launch one, stop it.
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
/** What runs is interrupted, and a file that is being written is finished. */
const endTimeoutMs = 3_000;
const lookAgainMs = 20;

/** How often to call `adoptWorker`: a gateway may miss three before its worker takes it for dead. */
export const adoptEveryMs = 15_000;

/**
 * The live worker of this directory. Undefined when there is none, or when what listens on its port now is something else:
 * only the worker that wrote worker.json knows its token.
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

/** The port that the worker of this directory had last, and will take again when it can. */
export async function lastPort(dir: string): Promise<number | undefined> {
  return (await readWorkerFile(dir))?.port;
}

/** Tells the worker that its gateway is alive; false when the worker is gone. */
export async function adoptWorker(worker: Address, gateway: string): Promise<boolean> {
  return (await ask(worker, 'POST', '/reference/adopt', { gateway })) !== undefined;
}

/** Asks the worker to end, which interrupts what it runs, and answers when it has. False when it was gone already. */
export async function stopWorker(worker: Address & Partial<Pick<FoundWorker, 'pid'>>): Promise<boolean> {
  if ((await ask(worker, 'POST', '/reference/stop')) === undefined) return false;
  const deadline = Date.now() + endTimeoutMs;
  const { pid } = worker;
  while (pid !== undefined && send(pid, 0) && Date.now() < deadline) await delay(lookAgainMs);
  return true;
}

export interface LaunchOptions {
  dir: string;
  /** How to start the worker's process, without its options: `[process.execPath, '…/worker/main.js']`. */
  command: readonly [file: string, ...args: string[]];
  port?: number;
  paceMs?: number;
  signal?: AbortSignal;
}

/**
 * Starts a worker that belongs to nobody's process group, and answers when it can take work. Its output is in worker.log. One
 * that does not come up, or is not wanted any more before it has, is ended.
 */
export async function launchWorker({
  dir,
  command,
  port,
  paceMs,
  signal,
}: LaunchOptions): Promise<FoundWorker> {
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

/** False when nobody of that number is there; a negative one is a group. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

type Address = Pick<FoundWorker, 'url' | 'token'>;

/** The process that answers need not be the child itself: a loader may stand in between. */
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

/** The answer as an object, or undefined for everything else: refused, too slow, another status, not JSON. */
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
