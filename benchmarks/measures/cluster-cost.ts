import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { type BenchCluster, startBenchCluster } from '../cluster/bench-replicas.ts';
import { StatementCounts, type Statements } from '../cluster/statement-counts.ts';
import type { AgentClient } from '../conversation/agent-client.ts';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { type Bar, type Figure, isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs } from '../process-usage.ts';
import { median } from '../statistics.ts';
import { TaskEnds } from '../task-ends.ts';

const workers = 8;
const outputBytes = 64;
const tasks = isRehearsal ? 300 : 800;
const runs = isRehearsal ? 20 : 300;
const atOnce = 8;
const idleSeconds = isRehearsal ? 10 : 30;
/** Half a minute after the work before, the engine collects what it has left. */
const settleSeconds = isRehearsal ? 3 : 60;
/** What each replica does before it is measured: an engine compiles what runs often. */
const warmUp = isRehearsal ? 1 : 2;
/** Sides that are compared take turns, so that a machine that gets slower is slower for each. */
const rounds = isRehearsal ? 1 : 3;

/** What one task or run costs. */
interface Cost {
  statements: number;
  commits: number;
  /** Processor time of each gateway. */
  gatewaysMs: number[];
  /** That of all gateways together. */
  ms: number;
}

/** Gateways that do one work together. */
interface Side {
  gateways: readonly SpawnedGateway[];
  /** Where they are on Postgres. */
  counts?: StatementCounts | undefined;
  times: number;
  /** The number of times that it works until it is warm. */
  warmUp: number;
  work: () => Promise<unknown>;
  close: () => Promise<void>;
}

await measure(
  'cluster-cost',
  'What a task and a run cost on SQLite, and on Postgres and Redis with one and three replicas',
  async () => {
    const { sqlite: task, one: oneTask, three: threeTasks, idle, unheard, listening } = await tasksOnEach();
    const { sqlite: run, one: oneRun, three: threeRuns, apart, bystander } = await runsOnEach();
    const figures: Figure[] = [
      { name: 'a task: statements, three replicas', value: threeTasks.statements, unit: '' },
      { name: 'a task: commits', value: threeTasks.commits, unit: '' },
      { name: 'a run: statements, three replicas', value: threeRuns.statements, unit: '' },
      { name: 'a run: commits', value: threeRuns.commits, unit: '' },
      { name: 'a task: processor of the gateway on SQLite', value: task.ms, unit: 'ms' },
      { name: 'a task: processor of one replica', value: oneTask.ms, unit: 'ms' },
      {
        name: 'a task: processor of three replicas together',
        value: threeTasks.ms,
        unit: 'ms',
      },
      { name: 'a task: processor of a replica without a listener', value: unheard, unit: 'ms' },
      { name: 'a task: the same with a socket of its owner', value: listening, unit: 'ms' },
      { name: 'a run: processor of the gateway on SQLite', value: run.ms, unit: 'ms' },
      { name: 'a run: processor of one replica', value: oneRun.ms, unit: 'ms' },
      {
        name: 'a run: processor of three replicas together',
        value: threeRuns.ms,
        unit: 'ms',
      },
      {
        name: 'a run: the same, one replica after the other',
        value: apart,
        unit: 'ms',
      },
      { name: 'a run: processor of a replica that takes none', value: bystander, unit: 'ms' },
      { name: 'three idle replicas: statements', value: idle.statements, unit: '/s' },
      { name: 'three idle replicas: processor of each', value: idle.gatewayMs, unit: 'ms' },
    ];
    const bars: Bar[] = [
      { promise: 'a task ≤ 16 statements', isMet: threeTasks.statements <= 16 },
      { promise: 'a task ≤ 5 commits', isMet: threeTasks.commits <= 5 },
      { promise: 'a run ≤ 28 statements', isMet: threeRuns.statements <= 28 },
      { promise: 'a run ≤ 6 commits', isMet: threeRuns.commits <= 6 },
      {
        promise: 'a replica without a listener ≤ 0.4 ms a task',
        isMet: unheard <= 0.4,
        reason:
          'It hears of each task, to keep places in the queue and limits true. Its own code has 0.1 ms of that; the rest is the reading of messages from Redis.',
      },
      {
        promise: 'one with a socket of the owner ≤ 1.5 ms a task',
        isMet: listening <= 1.5,
        reason:
          'Half of it is the reading of tasks and files from Postgres, and most of the rest their frames and the writing to sockets.',
      },
      { promise: 'idle ≤ 10 statements a second', isMet: idle.statements <= 10 },
      {
        promise: 'idle ≤ 5 ms of processor a second each',
        isMet: idle.gatewayMs <= 5,
        reason:
          'The busiest is the dispatcher. Two fifths of it are what it does alone: two questions to each of eight workers every five seconds, and its queue compared with the rows every two. The rest are signs of life to Redis, leases, the waits of queues and the samples of the event loop. Less often would find a dead worker, a lost Redis or a missed task later, or let another replica take over later.',
      },
      {
        promise: 'a task on one replica ≤ 1.7 × SQLite',
        isMet: oneTask.ms <= 1.7 * task.ms,
      },
      {
        promise: 'a run on one replica ≤ 1.7 × SQLite',
        isMet: oneRun.ms <= 1.7 * run.ms,
        reason:
          'The difference is what it takes to write to the sockets of Postgres and Redis and to read their answers.',
      },
      {
        promise: 'three replicas together ≤ 1.15 × one, a task',
        isMet: threeTasks.ms <= 1.15 * oneTask.ms,
        reason:
          'The replica that places tasks sends news of each, and every further replica hears them. Neither is in the figure of one replica.',
      },
      {
        promise: 'three replicas together ≤ 1.15 × one, a run',
        isMet: threeRuns.ms <= 1.15 * oneRun.ms,
        reason: `A run has no more statements and commands than on one replica. The news of it cost the two others ${(2 * bystander).toFixed(1)} ms together. One after the other the three need ${apart.toFixed(1)} ms. Gateways that work at once share the processors with each other, with Postgres, Redis and the client.`,
      },
    ];
    return {
      figures,
      bars,
      notes: [
        `Statements are those of \`pg_stat_statements\` (\`begin\` and \`commit\` count), commits the transactions that wrote or locked something, also those of a single statement, processor time is the kernel's of each gateway process. ${tasks.toLocaleString('en')} instant tasks with an output, ${workers} workers, ${atOnce} requests at once, all of them at the first replica, which places them; ${runs} runs of 20 tokens, each with its thread, in turn at each replica unless the figure says otherwise. Every process is warm. SQLite, one replica and three take turns; the figures are medians of ${rounds} rounds. Idle is the mean of ${idleSeconds} s that begin ${settleSeconds} s after the last task, at the busiest replica.`,
      ],
    };
  },
);

async function tasksOnEach() {
  const { costs, replicas } = await compared(tasksOn);
  const { counts, gateways, token } = replicas;
  const [, second] = gateways;
  if (!second || !counts) throw new Error('There are not three replicas.');
  const idle = await idleOf(counts, gateways);
  const watcher = await TaskEnds.open(second.url, token);
  await replicas.work();
  const [, listening = 0] = (await costOf(replicas)).gatewaysMs;
  watcher.close();
  await replicas.close();
  const [, unheard = 0] = costs.three.gatewaysMs;
  return { ...costs, idle, unheard, listening };
}

/** No replicas: one gateway on SQLite. */
async function tasksOn(replicas: number): Promise<Side & { token: string }> {
  const cluster = replicas > 0 ? await startBenchCluster({}, { countsStatements: true }) : undefined;
  const bench = await DispatchBench.start({ workers, outputBytes, ...(cluster && { env: cluster.env }) });
  const others = cluster ? await joined(cluster, replicas - 1) : [];
  const counts = cluster && (await StatementCounts.open(cluster.database));
  return {
    gateways: [bench.gateway, ...others],
    counts,
    token: bench.token,
    times: tasks,
    warmUp,
    work: () => bench.rate(tasks, atOnce),
    close: async () => {
      await counts?.close();
      await bench.close();
      await cluster?.close();
    },
  };
}

async function runsOnEach() {
  const { costs, replicas } = await compared(runsOn);
  const { clients } = replicas;
  const oneByOne = async (): Promise<void> => {
    for (const client of clients) await manyRuns([client], runs / clients.length);
  };
  const { ms: apart } = await costOf({ ...replicas, work: oneByOne });
  const atFirst = await costOf({ ...replicas, work: () => manyRuns(clients.slice(0, 1)) });
  const [, bystander = 0] = atFirst.gatewaysMs;
  await replicas.close();
  return { ...costs, apart, bystander };
}

async function runsOn(replicas: number): Promise<Side & { clients: readonly AgentClient[] }> {
  const cluster = replicas > 0 ? await startBenchCluster({}, { countsStatements: true }) : undefined;
  const server = await startGateway(cluster?.env);
  const others = cluster ? await joined(cluster, replicas - 1, server) : [];
  const clients = [server.client, ...others.map(({ url }) => server.clientAt(url))];
  const counts = cluster && (await StatementCounts.open(cluster.database));
  return {
    gateways: [server.gateway, ...others],
    counts,
    clients,
    times: runs,
    warmUp: warmUp * clients.length,
    work: () => manyRuns(clients),
    close: async () => {
      for (const client of clients.slice(1)) client.close();
      await counts?.close();
      await server.close();
      await cluster?.close();
    },
  };
}

function joined(cluster: BenchCluster, count: number, server?: BenchGateway): Promise<SpawnedGateway[]> {
  return Promise.all(Array.from({ length: count }, () => cluster.join(server?.env)));
}

async function manyRuns(clients: readonly AgentClient[], count = runs): Promise<void> {
  let left = Math.round(count);
  const lane = async (): Promise<void> => {
    while (left > 0) {
      const client = clients[left % clients.length];
      left -= 1;
      if (!client) throw new Error('There is no replica.');
      const threadId = await client.createThread();
      await client.stream({ threadId, graph: 'brief', streamMode: ['messages'] }, () => undefined);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

/** What SQLite, one replica and three cost. The three stay open, for what else is asked of them. */
async function compared<On extends Side>(open: (replicas: number) => Promise<On>) {
  const [sqlite, one, three] = [await open(0), await open(1), await open(3)];
  for (const side of [sqlite, one, three]) for (let n = 0; n < side.warmUp; n += 1) await side.work();
  const taken: { sqlite: Cost; one: Cost; three: Cost }[] = [];
  for (let round = 0; round < rounds; round += 1)
    taken.push({ sqlite: await costOf(sqlite), one: await costOf(one), three: await costOf(three) });
  await sqlite.close();
  await one.close();
  const costs = {
    sqlite: medians(taken.map((costs) => costs.sqlite)),
    one: medians(taken.map((costs) => costs.one)),
    three: medians(taken.map((costs) => costs.three)),
  };
  return { costs, replicas: three };
}

function medians(costs: readonly Cost[]): Cost {
  const middle = (of: (cost: Cost) => number): number => median(costs.map(of));
  return {
    statements: middle(({ statements }) => statements),
    commits: middle(({ commits }) => commits),
    gatewaysMs: (costs[0]?.gatewaysMs ?? []).map((_, index) => middle((cost) => cost.gatewaysMs[index] ?? 0)),
    ms: middle(({ ms }) => ms),
  };
}

async function costOf({ counts, gateways, times, work }: Side): Promise<Cost> {
  await counts?.begin();
  const gatewaysMs = await processorOf(gateways, times, work);
  const statements = await counts?.read();
  if (statements) say(statements, times);
  return {
    statements: (statements?.all ?? 0) / times,
    commits: (statements?.commits ?? 0) / times,
    gatewaysMs,
    ms: gatewaysMs.reduce((total, each) => total + each, 0),
  };
}

/** For who looks for what to save: the statements, where `BENCH_STATEMENTS=1`. */
function say({ each }: Statements, times: number): void {
  if (process.env.BENCH_STATEMENTS !== '1') return;
  for (const { query, calls, totalMs, slowestMs } of each.slice(0, 60))
    console.log(
      `${(calls / times).toFixed(2).padStart(7)} × ${(totalMs / calls).toFixed(2).padStart(7)} ms, slowest ${slowestMs.toFixed(0).padStart(4)}  ${query.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
    );
}

/** Returns the processor time of each gateway for one of so many. */
async function processorOf(
  gateways: readonly SpawnedGateway[],
  times: number,
  work: () => Promise<unknown>,
): Promise<number[]> {
  const before = gateways.map(({ pid }) => cpuTimeUs(pid));
  await work();
  return gateways.map(({ pid }, index) => (cpuTimeUs(pid) - (before[index] ?? 0)) / 1_000 / times);
}

async function idleOf(counts: StatementCounts, gateways: readonly SpawnedGateway[]) {
  await sleep(settleSeconds * 1_000);
  await counts.begin();
  const ms = await processorOf(gateways, idleSeconds, () => sleep(idleSeconds * 1_000));
  const statements = await counts.read();
  say(statements, idleSeconds);
  return { statements: statements.all / idleSeconds, gatewayMs: Math.max(...ms) };
}
