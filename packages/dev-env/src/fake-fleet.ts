import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FakeBehaviour, FakeStats } from './fake-behaviour.ts';
import type { FakeWorkerOptions } from './fake-worker.ts';

export type FleetRequest =
  | { id: number; order: 'start'; count: number; options: FakeWorkerOptions }
  | { id: number; order: 'behave'; port: number | null; behaviour: Partial<FakeBehaviour> }
  | { id: number; order: 'finish' }
  | { id: number; order: 'stats' };
export type FleetAnswer = { id: number; stats: FakeStats[] } | { id: number; error: string };

type Order = FleetRequest extends infer Request
  ? Request extends FleetRequest
    ? Omit<Request, 'id'>
    : never
  : never;

export interface FakeFleet {
  ports: number[];
  /** The process that holds all workers, for freezing or killing it. */
  pid: number;
  stats: () => Promise<FakeStats[]>;
  /** Sets the behaviour of one worker, by port, or of all. */
  behave: (behaviour: Partial<FakeBehaviour>, port?: number) => Promise<void>;
  /** Ends the running prompts of all workers with success. */
  finishRuns: () => Promise<void>;
  close: () => Promise<void>;
}

/** Fake workers in one process of their own, so that what they cost is not counted to the gateway. */
export async function startFakeFleet(count: number, options: FakeWorkerOptions = {}): Promise<FakeFleet> {
  const child = fork(fileURLToPath(new URL('./fake-fleet-process.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, (answer: FleetAnswer) => void>();
  let lastId = 0;
  child.on('message', (answer: FleetAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  child.on('exit', (code) => {
    for (const [id, settle] of waiting) settle({ id, error: `The fleet ended with exit code ${code}.` });
    waiting.clear();
  });
  const ask = async (order: Order): Promise<FakeStats[]> => {
    const id = ++lastId;
    const answer = await new Promise<FleetAnswer>((resolve) => {
      waiting.set(id, resolve);
      child.send({ id, ...order });
    });
    if ('error' in answer) throw new Error(answer.error);
    return answer.stats;
  };
  const started = await ask({ order: 'start', count, options }).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    ports: started.map(({ port }) => port),
    pid: child.pid ?? 0,
    stats: () => ask({ order: 'stats' }),
    behave: async (behaviour, port) => {
      await ask({ order: 'behave', port: port ?? null, behaviour });
    },
    finishRuns: async () => {
      await ask({ order: 'finish' });
    },
    close: async () => {
      const isGone = new Promise((resolve) => child.once('exit', resolve));
      if (child.connected) child.disconnect();
      if (child.exitCode === null && child.signalCode === null) await isGone;
    },
  };
}
