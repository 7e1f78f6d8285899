import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import type { AgentClient } from '../conversation/agent-client.ts';
import { startBareHttp, startGateway, startMemoryServer } from '../conversation/agent-servers.ts';
import { type BareGraph, startBareGraph } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { fsyncMsP50 } from '../disk.ts';
import { type Figure, isRehearsal, type Measured, measure } from '../measure.ts';
import { mainThreadMs } from '../process-usage.ts';
import { median } from '../statistics.ts';

const crowds = [1, 16, 64] as const;
/** All sides take turns, so that a slow moment of the machine affects each of them. */
const rounds = isRehearsal ? 1 : 5;
const roundSeconds = isRehearsal ? 1 : 3;
/** The engine has compiled a gateway after some 2,700 runs that come at once. Every side warms up equally long. */
const warmUpSeconds = isRehearsal ? 2 : 10;
/**
 * Runs before each window and is not counted. Otherwise a window would measure caches that went cold while it waited
 * for its turn.
 */
const leadInSeconds = 1;
/** The steps that a run waits for, one after the other: thread, run, end. */
const commitsOfARun = 3;
const maxAddedMs = 2;

const sides = [
  'gateway',
  'memory server',
  'loopback',
  'bare graph',
  'bare graph with a MemorySaver',
] as const;
type Side = (typeof sides)[number];

interface LoopOptions {
  clients: number;
  seconds: number;
}

interface Rate {
  perSecond: number;
  p50Ms: number;
  /** The processor time of the main thread for each run; 0 where it is not asked for. */
  mainThreadMs: number;
}

interface Sample extends Rate {
  side: Side;
  clients: number;
  round: number;
}

await measure(
  'conversation-wait',
  'Runs of a one-node graph that are waited for, a new thread for each',
  async () => {
    const folder = temporaryFolder();
    const fsyncMs = fsyncMsP50(folder.path);
    folder.remove();
    const gateway = await startGateway();
    const memoryServer = await startMemoryServer();
    const bareHttp = await startBareHttp();
    const bare = await startBareGraph();
    const bareWithSaver = await startBareGraph();
    let waited = 0;
    const take: Record<Side, (loop: LoopOptions) => Promise<Rate>> = {
      gateway: (loop) =>
        rate(loop, {
          pid: gateway.gateway.pid,
          round: async () => {
            await threadAndRun(gateway.client);
            waited += 1;
          },
        }),
      'memory server': (loop) => rate(loop, { round: () => threadAndRun(memoryServer.client) }),
      loopback: (loop) => rate(loop, { round: () => threadAndNothing(bareHttp.client) }),
      'bare graph': (loop) => bareRate(bare, { ...loop, hasSaver: false }),
      'bare graph with a MemorySaver': (loop) => bareRate(bareWithSaver, { ...loop, hasSaver: true }),
    };
    const samples: Sample[] = [];
    for (const clients of crowds) {
      for (const side of sides) await take[side]({ clients, seconds: warmUpSeconds });
      for (let round = 0; round < rounds; round += 1) {
        for (const side of sides) {
          await take[side]({ clients, seconds: leadInSeconds });
          const taken = await take[side]({ clients, seconds: roundSeconds });
          samples.push({ side, clients, round, ...taken });
        }
      }
    }
    bare.stop();
    bareWithSaver.stop();
    await gateway.gateway.kill9();
    const stored = storedRuns(gateway.databaseFile);
    await Promise.all([gateway, memoryServer, bareHttp].map((server) => server.close()));
    return summary(samples, { fsyncMs, waited, stored });
  },
);

function summary(
  samples: readonly Sample[],
  { fsyncMs, waited, stored }: { fsyncMs: number; waited: number; stored: number },
): Measured {
  const at = (side: Side, clients: number) =>
    samples.filter((each) => each.side === side && each.clients === clients);
  const of = (side: Side, clients: number, key: keyof Rate) =>
    median(at(side, clients).map((each) => each[key]));
  const addedMs = median(
    at('gateway', 16).map(
      (ours) => ours.mainThreadMs - (at('bare graph', 16)[ours.round]?.mainThreadMs ?? Number.NaN),
    ),
  );
  const rateAt16 = of('gateway', 16, 'perSecond');
  const share = (rateAt16 / of('bare graph', 16, 'perSecond')) * 100;
  const alone = of('gateway', 1, 'p50Ms');
  const ideal =
    of('bare graph with a MemorySaver', 1, 'p50Ms') + of('loopback', 1, 'p50Ms') + commitsOfARun * fsyncMs;
  return {
    figures: [
      { name: 'main thread, added to a run by the gateway, 16 at once', value: addedMs, unit: 'ms' },
      ...(['gateway', 'bare graph'] as const).map(
        (side): Figure => ({
          name: `main thread, a run of the ${side}, 16 at once`,
          value: of(side, 16, 'mainThreadMs'),
          unit: 'ms',
        }),
      ),
      { name: 'gateway at 16 of the bare graph (≥ 25 % is wanted)', value: share, unit: '%' },
      ...crowds.flatMap((clients) =>
        sides.map(
          (side): Figure => ({
            name: `${side}, ${clients} at once${side === 'gateway' && clients === 16 ? ' (≥ 240 /s is wanted)' : ''}`,
            value: of(side, clients, 'perSecond'),
            unit: '/s',
          }),
        ),
      ),
      ...sides.map(
        (side): Figure => ({ name: `${side}, one alone, p50`, value: of(side, 1, 'p50Ms'), unit: 'ms' }),
      ),
      { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
    ],
    bars: [
      {
        promise: `the gateway adds ≤ ${maxAddedMs.toFixed(1)} ms of its main thread to a run, 16 at once`,
        isMet: addedMs <= maxAddedMs,
      },
      {
        promise: 'p50 ≤ 10 ms at one client, or 1.5 × graph, requests and syncs by themselves',
        isMet: alone <= Math.max(10, 1.5 * ideal),
      },
      { promise: 'every run that was answered is there after kill -9', isMet: stored === waited },
    ],
    notes: [
      'Time of the main thread is processor time, as the kernel counts it: it does not depend on who else uses the machine. Waiting for the disk is not in it; the rates show that as well. What is added is the time of the gateway less that of the bare graph in the same round.',
      `Medians of ${rounds} rounds of ${roundSeconds} s. Every side has run for ${warmUpSeconds} s before its first round, and for ${leadInSeconds} s before each. Each run is two requests: its thread, and the run itself; loopback is two requests that nothing is done for.`,
      'The bare graph has no server, no disk and, where it is not said, no checkpointer. The memory server is @langchain/langgraph-api 1.5.1 with the same copy of LangGraph, with 64 workers; it keeps nothing on disk.',
      `${stored} of ${waited} runs that were answered are stored.`,
    ],
  };
}

async function rate(
  loop: LoopOptions,
  { pid, round }: { pid?: number; round: () => Promise<void> },
): Promise<Rate> {
  const usedMs = pid === undefined ? 0 : mainThreadMs(pid);
  const { perSecond, tookMs } = await closedLoop(loop, round);
  const ranMs = pid === undefined ? 0 : mainThreadMs(pid) - usedMs;
  return { perSecond, p50Ms: median(tookMs), mainThreadMs: ranMs / tookMs.length };
}

async function bareRate(bare: BareGraph, loop: LoopOptions & { hasSaver: boolean }): Promise<Rate> {
  const { perSecond, wholeMsP50, mainThreadMs: ranMs } = await bare.loop({ graph: 'echo', ...loop });
  return { perSecond, p50Ms: wholeMsP50, mainThreadMs: ranMs };
}

async function threadAndRun(client: AgentClient): Promise<void> {
  const threadId = await client.createThread();
  const said = await client.wait({ threadId, graph: 'echo' });
  if (said !== 'echo: hello') throw new Error(`A run ended with ${said}.`);
}

async function threadAndNothing(client: AgentClient): Promise<void> {
  await client.post('/threads', {});
  await client.wait({ threadId: 'none', graph: 'echo' });
}

function storedRuns(file: string): number {
  const connection = new SqliteConnection(file);
  const [row] = connection.run("select count(*) as count from runs where status = 'success'").rows;
  connection.close();
  return Number((row as { count: number }).count);
}
