import { startBenchCluster } from '../cluster/bench-replicas.ts';
import { replicaFigures } from '../cluster/replica-figures.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { isRehearsal, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const workers = 8;
const tasks = isRehearsal ? 100 : 2_000;
const rounds = isRehearsal ? 1 : 3;
const counts = [1, 2, 3] as const;
const note = `Tasks are sent to the replicas in turn, and the client hears of their ends at the first one. Each process has taken ${tasks.toLocaleString('en')} tasks before. One replica places all tasks; the others cost it messages. Postgres, Redis, all replicas, the workers and the client share the processors of this machine.`;

await measure(
  'cluster-dispatch',
  'Instant tasks a second, 8 workers: replicas on Postgres and Redis beside one gateway on SQLite',
  async () => {
    const alone = await DispatchBench.start({ workers });
    const sqlite = await rateOf(alone, 1);
    await alone.close();
    const rates: number[] = [];
    for (const count of counts) rates.push(await rateOfReplicas(count));
    return replicaFigures({ sqlite, rates, note });
  },
);

async function rateOfReplicas(count: number): Promise<number> {
  const cluster = await startBenchCluster();
  const bench = await DispatchBench.start({ workers, env: cluster.env });
  for (let n = 1; n < count; n += 1) bench.alsoAt((await cluster.join()).url);
  const rate = await rateOf(bench, count);
  await bench.close();
  await cluster.close();
  return rate;
}

/** An engine compiles what runs often, so each process gets as many submissions first. */
async function rateOf(bench: DispatchBench, processes: number): Promise<number> {
  for (let n = 0; n < processes; n += 1) await bench.rate(tasks);
  const rates: number[] = [];
  for (let n = 0; n < rounds; n += 1) rates.push(await bench.rate(tasks));
  return median(rates);
}
