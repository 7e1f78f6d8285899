import { setTimeout as sleep } from 'node:timers/promises';
import type { SpawnedGateway } from '@switchyard/dev-env/spawned-gateway';
import { type BenchCluster, startBenchCluster } from '../cluster/bench-replicas.ts';
import { StatementCounts, type Statements } from '../cluster/statement-counts.ts';
import type { AgentClient } from '../conversation/agent-client.ts';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { type Bar, type Figure, isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs } from '../process-usage.ts';
import { TaskEnds } from '../task-ends.ts';

const workers = 8;
const outputBytes = 64;
const tasks = isRehearsal ? 300 : 800;
const runs = isRehearsal ? 20 : 300;
const atOnce = 8;
const idleSeconds = isRehearsal ? 10 : 30;
/** Half a minute after the work before, the engine collects what it has left. */
const settleSeconds = isRehearsal ? 3 : 60;
/** What a measure of a task or a run is taken after: an engine compiles what runs often. */
const warmUp = isRehearsal ? 1 : 2;

/** What one task or run costs. */
interface Cost {
  statements: number;
  commits: number;
  /** Processor time of each gateway. */
  gatewaysMs: number[];
}

await measure(
  'cluster-cost',
  'What a task and a run cost on SQLite, and on Postgres and Redis with one and three replicas',
  async () => {
    const sqlite = { task: await taskOnSqlite(), run: await runOnSqlite() };
    const [oneTask, threeTasks] = [await tasksOn(1), await tasksOn(3)];
    const [oneRun, threeRuns] = [await runsOn(1), await runsOn(3)];
    const sum = (ms: readonly number[]): number => ms.reduce((total, each) => total + each, 0);
    const [, unheard = 0] = threeTasks.cost.gatewaysMs;
    const [, listening = 0] = threeTasks.watched.gatewaysMs;
    const [, bystander = 0] = threeRuns.atFirst.gatewaysMs;
    const figures: Figure[] = [
      { name: 'a task: statements, three replicas', value: threeTasks.cost.statements, unit: '' },
      { name: 'a task: commits', value: threeTasks.cost.commits, unit: '' },
      { name: 'a run: statements, three replicas', value: threeRuns.cost.statements, unit: '' },
      { name: 'a run: commits', value: threeRuns.cost.commits, unit: '' },
      { name: 'a task: processor of the gateway on SQLite', value: sqlite.task, unit: 'ms' },
      { name: 'a task: processor of one replica', value: sum(oneTask.cost.gatewaysMs), unit: 'ms' },
      {
        name: 'a task: processor of three replicas together',
        value: sum(threeTasks.cost.gatewaysMs),
        unit: 'ms',
      },
      { name: 'a task: processor of a replica without a listener', value: unheard, unit: 'ms' },
      { name: 'a task: the same with a socket of its owner', value: listening, unit: 'ms' },
      { name: 'a run: processor of the gateway on SQLite', value: sqlite.run, unit: 'ms' },
      { name: 'a run: processor of one replica', value: sum(oneRun.cost.gatewaysMs), unit: 'ms' },
      {
        name: 'a run: processor of three replicas together',
        value: sum(threeRuns.cost.gatewaysMs),
        unit: 'ms',
      },
      {
        name: 'a run: the same, one replica after the other',
        value: sum(threeRuns.apart.gatewaysMs),
        unit: 'ms',
      },
      { name: 'a run: processor of a replica that takes none', value: bystander, unit: 'ms' },
      { name: 'three idle replicas: statements', value: threeTasks.idle.statements, unit: '/s' },
      { name: 'three idle replicas: processor of each', value: threeTasks.idle.gatewayMs, unit: 'ms' },
    ];
    const bars: Bar[] = [
      { promise: 'a task ≤ 16 statements', isMet: threeTasks.cost.statements <= 16 },
      { promise: 'a task ≤ 5 commits', isMet: threeTasks.cost.commits <= 5 },
      { promise: 'a run ≤ 28 statements', isMet: threeRuns.cost.statements <= 28 },
      { promise: 'a run ≤ 6 commits', isMet: threeRuns.cost.commits <= 6 },
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
      { promise: 'idle ≤ 10 statements a second', isMet: threeTasks.idle.statements <= 10 },
      {
        promise: 'idle ≤ 5 ms of processor a second each',
        isMet: threeTasks.idle.gatewayMs <= 5,
        reason:
          'The busiest is the dispatcher. Two fifths of it are what it does alone: two questions to each of eight workers every five seconds, and its queue compared with the rows every two. The rest are signs of life to Redis, leases, the waits of queues and the samples of the event loop. Less often would find a dead worker, a lost Redis or a missed task later, or let another replica take over later.',
      },
      {
        promise: 'a task on one replica ≤ 1.7 × SQLite',
        isMet: sum(oneTask.cost.gatewaysMs) <= 1.7 * sqlite.task,
      },
      {
        promise: 'a run on one replica ≤ 1.7 × SQLite',
        isMet: sum(oneRun.cost.gatewaysMs) <= 1.7 * sqlite.run,
        reason:
          'The difference is what it takes to write to the sockets of Postgres and Redis and to read their answers.',
      },
      {
        promise: 'three replicas together ≤ 1.15 × one, a task',
        isMet: sum(threeTasks.cost.gatewaysMs) <= 1.15 * sum(oneTask.cost.gatewaysMs),
        reason:
          'The replica that places tasks sends news of each, and every further replica hears them. Neither is in the figure of one replica.',
      },
      {
        promise: 'three replicas together ≤ 1.15 × one, a run',
        isMet: sum(threeRuns.cost.gatewaysMs) <= 1.15 * sum(oneRun.cost.gatewaysMs),
        reason: `A run has no more statements and commands than on one replica. The news of it cost the two others ${(2 * bystander).toFixed(1)} ms together. The rest is how long the same work takes: gateways that work at once share the cores with each other, with Postgres, Redis and the client. One after the other they need ${sum(threeRuns.apart.gatewaysMs).toFixed(1)} ms.`,
      },
    ];
    return {
      figures,
      bars,
      notes: [
        `Statements are those of \`pg_stat_statements\` (\`begin\` and \`commit\` count), commits the transactions that wrote or locked something, also those of a single statement, processor time is the kernel's of each gateway process. ${tasks.toLocaleString('en')} instant tasks with an output, ${workers} workers, ${atOnce} requests at once, all of them at the first replica, which places them; ${runs} runs of 20 tokens, each with its thread, in turn at each replica unless the figure says otherwise. Every process is warm. Idle is the mean of ${idleSeconds} s that begin ${settleSeconds} s after the last task, at the busiest replica.`,
      ],
    };
  },
);

async function taskOnSqlite(): Promise<number> {
  const bench = await DispatchBench.start({ workers, outputBytes });
  for (let n = 0; n < warmUp; n += 1) await bench.rate(tasks, atOnce);
  const [ms = 0] = await processorOf([bench.gateway], tasks, () => bench.rate(tasks, atOnce));
  await bench.close();
  return ms;
}

async function tasksOn(replicas: number) {
  const cluster = await startBenchCluster({}, { countsStatements: true });
  const bench = await DispatchBench.start({ workers, outputBytes, env: cluster.env });
  const others = await joined(cluster, replicas - 1);
  const gateways = [bench.gateway, ...others];
  const counts = await StatementCounts.open(cluster.database);
  const submit = (): Promise<number> => bench.rate(tasks, atOnce);
  for (let n = 0; n < warmUp; n += 1) await submit();
  const cost = await costOf(submit, { counts, gateways, times: tasks });
  const [second] = others;
  const idle = second ? await idleOf(counts, gateways) : { statements: 0, gatewayMs: 0 };
  const watcher = second && (await TaskEnds.open(second.url, bench.token));
  if (watcher) await submit();
  const watched = watcher ? await costOf(submit, { counts, gateways, times: tasks }) : cost;
  watcher?.close();
  await counts.close();
  await bench.close();
  await cluster.close();
  return { cost, watched, idle };
}

async function runOnSqlite(): Promise<number> {
  const server = await startGateway();
  const run = (): Promise<void> => manyRuns([server.client]);
  for (let n = 0; n < warmUp; n += 1) await run();
  const [ms = 0] = await processorOf([server.gateway], runs, run);
  await server.close();
  return ms;
}

async function runsOn(replicas: number): Promise<{ cost: Cost; apart: Cost; atFirst: Cost }> {
  const cluster = await startBenchCluster({}, { countsStatements: true });
  const server = await startGateway(cluster.env);
  const others = await joined(cluster, replicas - 1, server);
  const clients = [server.client, ...others.map(({ url }) => server.clientAt(url))];
  const counts = await StatementCounts.open(cluster.database);
  const run = (): Promise<void> => manyRuns(clients);
  for (let n = 0; n < warmUp * replicas; n += 1) await run();
  const counted = { counts, gateways: [server.gateway, ...others], times: runs };
  const cost = await costOf(run, counted);
  const apart = await costOf(async () => {
    for (const client of clients) await manyRuns([client], runs / replicas);
  }, counted);
  const atFirst = await costOf(() => manyRuns([server.client]), counted);
  for (const client of clients.slice(1)) client.close();
  await counts.close();
  await server.close();
  await cluster.close();
  return { cost, apart, atFirst };
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

async function costOf(
  work: () => Promise<unknown>,
  {
    counts,
    gateways,
    times,
  }: { counts: StatementCounts; gateways: readonly SpawnedGateway[]; times: number },
): Promise<Cost> {
  await counts.begin();
  const gatewaysMs = await processorOf(gateways, times, work);
  const statements = await counts.read();
  say(statements, times);
  return { statements: statements.all / times, commits: statements.commits / times, gatewaysMs };
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
