import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite-connection';
import type { AgentClient } from '../conversation/agent-client.ts';
import { startBareHttp, startGateway, startMemoryServer } from '../conversation/agent-servers.ts';
import { bareGraph } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { fsyncMsP50 } from '../disk.ts';
import { type Figure, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const crowds = [1, 16, 64] as const;
/** All sides take turns, so that a slow moment of the machine affects each of them. */
const rounds = 5;
const roundSeconds = 3;
/**
 * The engine has compiled a gateway after some 2,700 runs that come at once. The bare graph warms up by itself, in a new
 * process each time.
 */
const warmUpSeconds = { gateway: 10, 'memory server': 2, loopback: 1 };
/**
 * Runs before each window and is not counted. Otherwise a window would measure caches that went cold while it waited
 * for its turn.
 */
const leadInSeconds = 1;
/** The steps that a run waits for, one after the other: thread, run, end. */
const commitsOfARun = 3;

type Side = 'gateway' | 'memory server' | 'loopback' | 'bare graph' | 'bare graph with a MemorySaver';
const servers = ['gateway', 'memory server', 'loopback'] as const;
const sides: Side[] = [...servers, 'bare graph', 'bare graph with a MemorySaver'];

interface LoopOptions {
  clients: number;
  seconds: number;
}

interface Rate {
  perSecond: number;
  p50Ms: number;
}

interface Sample extends Rate {
  side: Side;
  clients: number;
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
    let waited = 0;
    const take: Record<Side, (loop: LoopOptions) => Promise<Rate>> = {
      gateway: (loop) =>
        rate(loop, async () => {
          await threadAndRun(gateway.client);
          waited += 1;
        }),
      'memory server': (loop) => rate(loop, () => threadAndRun(memoryServer.client)),
      loopback: (loop) => rate(loop, () => threadAndNothing(bareHttp.client)),
      'bare graph': (loop) => bareRate(loop, { hasSaver: false }),
      'bare graph with a MemorySaver': (loop) => bareRate(loop, { hasSaver: true }),
    };
    const samples: Sample[] = [];
    for (const clients of crowds) {
      for (const side of servers) await take[side]({ clients, seconds: warmUpSeconds[side] });
      for (let round = 0; round < rounds; round += 1) {
        for (const side of sides)
          samples.push({ side, clients, ...(await take[side]({ clients, seconds: roundSeconds })) });
      }
    }
    await gateway.gateway.kill9();
    const stored = storedRuns(gateway.databaseFile);
    await Promise.all([gateway, memoryServer, bareHttp].map((server) => server.close()));

    const of = (side: Side, clients: number, key: keyof Rate) =>
      median(
        samples.filter((each) => each.side === side && each.clients === clients).map((each) => each[key]),
      );
    const rateAt16 = of('gateway', 16, 'perSecond');
    const share = (rateAt16 / of('bare graph', 16, 'perSecond')) * 100;
    const alone = of('gateway', 1, 'p50Ms');
    const ideal =
      of('bare graph with a MemorySaver', 1, 'p50Ms') + of('loopback', 1, 'p50Ms') + commitsOfARun * fsyncMs;
    return {
      figures: [
        ...crowds.flatMap((clients) =>
          sides.map(
            (side): Figure => ({
              name: `${side}, ${clients} at once`,
              value: of(side, clients, 'perSecond'),
              unit: '/s',
            }),
          ),
        ),
        { name: 'gateway at 16 of the bare graph', value: share, unit: '%' },
        ...sides.map(
          (side): Figure => ({ name: `${side}, one alone, p50`, value: of(side, 1, 'p50Ms'), unit: 'ms' }),
        ),
        { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
      ],
      bars: [
        { promise: '≥ 240 runs/s at 16 clients', isMet: rateAt16 >= 240 },
        { promise: '≥ 25 % of the bare graph without a checkpointer, at 16', isMet: share >= 25 },
        {
          promise: 'p50 ≤ 10 ms at one client, or 1.5 × graph, requests and syncs by themselves',
          isMet: alone <= Math.max(10, 1.5 * ideal),
        },
        { promise: 'every run that was answered is there after kill -9', isMet: stored === waited },
      ],
      notes: [
        `Medians of ${rounds} rounds of ${roundSeconds} s, each of a server after ${leadInSeconds} s that is not counted. Each run is two requests: its thread, and the run itself; loopback is two requests that nothing is done for.`,
        'The memory server is @langchain/langgraph-api 1.5.1 with the same copy of LangGraph, with 64 workers; it keeps nothing on disk.',
        `${stored} of ${waited} runs that were answered are stored.`,
      ],
    };
  },
);

async function rate(loop: LoopOptions, round: () => Promise<void>): Promise<Rate> {
  await closedLoop({ ...loop, seconds: leadInSeconds }, round);
  const { perSecond, tookMs } = await closedLoop(loop, round);
  return { perSecond, p50Ms: median(tookMs) };
}

async function bareRate(loop: LoopOptions, { hasSaver }: { hasSaver: boolean }): Promise<Rate> {
  const { perSecond, wholeMsP50 } = await bareGraph({ graph: 'echo', hasSaver, ...loop });
  return { perSecond, p50Ms: wholeMsP50 };
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
