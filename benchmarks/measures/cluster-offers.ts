import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '@switchyard/dev-env/postgres';
import { startRedis } from '@switchyard/dev-env/redis';
import { conversationMigrations } from '@switchyard/server/conversation/migrations';
import { insertsOfRun } from '@switchyard/server/conversation/runs/records/run-store';
import { unstartedRun } from '@switchyard/server/conversation/runs/records/unstarted-run';
import type { RunRow } from '@switchyard/server/conversation/tables';
import { newDeferred } from '@switchyard/server/lib/async/deferred';
import { newTimeOrderedId } from '@switchyard/server/lib/ids';
import { migrate } from '@switchyard/server/platform/database/migrate';
import { openDatabase } from '@switchyard/server/platform/database/open';
import { type Engine, LineReplica } from '../cluster/line-replica.ts';
import { type Figure, isRehearsal, type Measured, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const engines: readonly Engine[] = ['bullmq', 'broadcast'];
const counts = [1, 3, 6] as const;
/** Runs that come one at a time while every replica has room. */
const singles = isRehearsal ? 30 : 300;
/** Runs of three users that wait together until all slots are free at once. */
const crowd = isRehearsal ? { ada: 40, bob: 8, cleo: 2 } : { ada: 200, bob: 20, cleo: 2 };
/** The time of the work itself, which a model would take. */
const workMs = 20;

interface Outcome {
  engine: Engine;
  replicas: number;
  failedPerRun: number;
  claimP50Ms: number;
  /** The distance of the users' shares from equal ones, in per cent, while each of them has runs that wait. */
  worstShare: number;
}

await measure(
  'cluster-offers',
  'Waiting runs of several replicas: offered by BullMQ, or broadcast and claimed by the fastest',
  async () => {
    const redis = await startRedis();
    const postgres = await startPostgres({ isDurable: true });
    const outcomes: Outcome[] = [];
    for (const replicas of counts)
      for (const engine of engines) {
        const databaseUrl = await postgres.createDatabase();
        outcomes.push(await takeOne({ engine, replicas, databaseUrl, redisUrl: redis.url }));
      }
    await redis.stop();
    return summary(outcomes);
  },
);

async function takeOne({
  engine,
  replicas: count,
  databaseUrl,
  redisUrl,
}: {
  engine: Engine;
  replicas: number;
  databaseUrl: string;
  redisUrl: string;
}): Promise<Outcome> {
  const database = await openDatabase({ backend: 'postgres', url: databaseUrl, poolSize: 1 });
  await migrate(database, 'conversation', conversationMigrations);
  await database.close();
  const began = new Map<string, number>();
  const order: string[] = [];
  const gate = newDeferred();
  const replicas: LineReplica[] = [];
  for (let n = 0; n < count; n += 1)
    replicas.push(
      await LineReplica.open({
        engine,
        databaseUrl,
        redisUrl,
        prefix: `bench-${engine}-${count}`,
        slots: 2,
        work: (row) => (row.user_id === 'filler' ? gate.promise : sleep(workMs)),
        onBegin: (row) => {
          began.set(row.run_id, performance.now());
          if (row.user_id !== 'filler') order.push(row.user_id);
        },
        onFault: (error) => console.error(error),
      }),
    );
  let submitted = 0;
  const submit = async (userId: string): Promise<RunRow> => {
    const replica = replicas[submitted % replicas.length];
    if (!replica) throw new Error('There is no replica.');
    submitted += 1;
    const row = newRow(userId);
    await replica.database.write(async (_trx, lastly) => lastly(...insertsOfRun(row, '{}')));
    replica.admitted(row);
    return row;
  };

  const waits: number[] = [];
  for (let n = 0; n < singles; n += 1) {
    const row = await submit('single');
    const offeredAt = performance.now();
    await until(() => began.has(row.run_id));
    waits.push(Math.max(0, (began.get(row.run_id) ?? 0) - offeredAt));
    await sleep(workMs + 10);
  }
  order.length = 0;
  for (let n = 0; n < 2 * count; n += 1) await submit('filler');
  await until(() => began.size === singles + 2 * count);
  for (const [userId, runs] of Object.entries(crowd)) for (let n = 0; n < runs; n += 1) await submit(userId);
  gate.resolve();
  await until(() => order.length === crowd.ada + crowd.bob + crowd.cleo);
  const failed = replicas.reduce((sum, replica) => sum + replica.failed, 0);
  for (const replica of replicas) await replica.close();
  return {
    engine,
    replicas: count,
    failedPerRun: failed / submitted,
    claimP50Ms: median(waits),
    worstShare: worstShareOf(order),
  };
}

/** At the moment when a user's last run begins, every user with more runs should have had as many. */
function worstShareOf(order: readonly string[]): number {
  let worst = 0;
  for (const [userId, runs] of Object.entries(crowd)) {
    if (userId === 'ada') continue;
    const end = order.lastIndexOf(userId) + 1;
    for (const [other, otherRuns] of Object.entries(crowd)) {
      if (otherRuns <= runs) continue;
      const had = order.slice(0, end).filter((each) => each === other).length;
      // One run more or less is a matter of who comes first.
      worst = Math.max(worst, (Math.max(0, Math.abs(had - runs) - 1) / runs) * 100);
    }
  }
  return worst;
}

function newRow(userId: string): RunRow {
  const at = new Date().toISOString();
  const id = newTimeOrderedId();
  return {
    ...unstartedRun,
    run_id: id,
    thread_id: `thread-${id}`,
    user_id: userId,
    assistant_id: 'bench',
    graph_id: 'bench',
    admission: 1,
    multitask_strategy: 'enqueue',
    metadata: '{}',
    created_at: at,
    updated_at: at,
  };
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await sleep(1);
}

function summary(outcomes: readonly Outcome[]): Measured {
  const figures = outcomes.flatMap(({ engine, replicas, failedPerRun, claimP50Ms, worstShare }): Figure[] => {
    const where = `${engine}, ${replicas} replica${replicas > 1 ? 's' : ''}`;
    return [
      { name: `claims that failed for each run, ${where}`, value: failedPerRun, unit: '' },
      { name: `offer to claim (p50), ${where}`, value: claimP50Ms, unit: 'ms' },
      { name: `distance from equal shares, ${where}`, value: worstShare, unit: '%' },
    ];
  });
  const ours = outcomes.filter(({ engine }) => engine === 'bullmq');
  return {
    figures,
    bars: [
      {
        promise: '≤ 0.1 failed claims for each run with BullMQ',
        isMet: ours.every(({ failedPerRun }) => failedPerRun <= 0.1),
      },
      {
        promise: 'offer to claim p50 ≤ 5 ms with BullMQ',
        isMet: ours.every(({ claimP50Ms }) => claimP50Ms <= 5),
      },
      {
        promise: 'shares within 10 % of equal until they run out, with BullMQ',
        isMet: ours.every(({ worstShare }) => worstShare <= 10),
      },
    ],
    notes: [
      'All replicas are in one process, on a durable Postgres and one Redis; the work of a run is a wait of 20 ms. A replica has 2 slots.',
      'Offer to claim is from the commit of the run, as its replica hands it on, until a replica has claimed its row.',
    ],
  };
}
