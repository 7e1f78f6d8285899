import { startBenchCluster } from '../cluster/bench-replicas.ts';
import { replicaFigures } from '../cluster/replica-figures.ts';
import type { AgentClient } from '../conversation/agent-client.ts';
import { startGateway } from '../conversation/agent-servers.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { isRehearsal, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const clients = 16;
/** An engine compiles what runs often, so a process becomes faster for a thousand runs and more. */
const warmUpRuns = isRehearsal ? 20 : 2_000;
const roundSeconds = isRehearsal ? 1 : 5;
const rounds = isRehearsal ? 1 : 3;
const counts = [1, 2, 3] as const;
const note = `${clients} clients, each with a new thread for each run, in turn at each replica. Every process has had ${warmUpRuns.toLocaleString('en')} runs before. Postgres, Redis, all replicas and the clients share the processors of this machine, so it shows the cost of working together and not how far a cluster goes.`;

await measure(
  'cluster-runs',
  'Runs of a one-node graph that are waited for: replicas on Postgres and Redis beside one gateway on SQLite',
  async () => {
    const alone = await startGateway();
    const sqlite = await rateOf([alone.client]);
    await alone.close();
    const rates: number[] = [];
    for (const count of counts) rates.push(await rateOfReplicas(count));
    return replicaFigures({ sqlite, rates, note });
  },
);

async function rateOfReplicas(count: number): Promise<number> {
  const cluster = await startBenchCluster();
  const first = await startGateway(cluster.env);
  const others = [];
  for (let n = 1; n < count; n += 1) others.push(first.clientAt((await cluster.join(first.env)).url));
  const rate = await rateOf([first.client, ...others]);
  for (const client of others) client.close();
  await first.close();
  await cluster.close();
  return rate;
}

async function rateOf(targets: readonly AgentClient[]): Promise<number> {
  let sent = 0;
  const round = async (): Promise<void> => {
    const client = targets[sent % targets.length];
    if (!client) throw new Error('There is no replica.');
    sent += 1;
    await client.wait({ threadId: await client.createThread(), graph: 'echo' });
  };
  while (sent < targets.length * warmUpRuns) await closedLoop({ clients, seconds: 1 }, round);
  const rates: number[] = [];
  for (let n = 0; n < rounds; n += 1)
    rates.push((await closedLoop({ clients, seconds: roundSeconds }, round)).perSecond);
  return median(rates);
}
