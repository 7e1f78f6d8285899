/**
 * The ideal for the gateway in front of a pool: a loop over the same workers, one prompt on each, without accounts, queue,
 * database or files. Reads requests, one a line, and prints the result of each as one line.
 */
import { createInterface } from 'node:readline';
import { chain } from '../graphs/chain.ts';
import { cpuTimeUs, mainThreadMs } from '../process-usage.ts';
import { WorkerSession } from './worker-session.ts';

export interface BareLoopRequest {
  tasks: number;
  nodes: number;
  /** True when it reads the history of each task and downloads its pictures, which it then forgets. */
  readsOutputs: boolean;
}

export interface BareLoopResult {
  perSecond: number;
  /** For each task. */
  mainMs: number;
  /** All threads, for each task. */
  processorMs: number;
}

const sessions = await Promise.all(process.argv.slice(2).map((port) => WorkerSession.open(Number(port))));
let seed = 0;

console.log('ready');
for await (const line of createInterface(process.stdin))
  console.log(JSON.stringify(await answer(JSON.parse(line) as BareLoopRequest)));
for (const session of sessions) session.close();

async function answer({ tasks, nodes, readsOutputs }: BareLoopRequest): Promise<BareLoopResult> {
  const before = { mainMs: mainThreadMs(process.pid), cpuUs: cpuTimeUs(process.pid) };
  const started = performance.now();
  let left = tasks;
  const lane = async (session: WorkerSession): Promise<void> => {
    while (left-- > 0) {
      seed += 1;
      const promptId = await session.run(chain(nodes, seed));
      if (readsOutputs) await session.outputsOf(promptId);
    }
  };
  await Promise.all(sessions.map(lane));
  return {
    perSecond: (tasks / (performance.now() - started)) * 1_000,
    mainMs: (mainThreadMs(process.pid) - before.mainMs) / tasks,
    processorMs: (cpuTimeUs(process.pid) - before.cpuUs) / 1_000 / tasks,
  };
}
