import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startBenchCluster } from '../cluster/bench-replicas.ts';
import { StatementCounts } from '../cluster/statement-counts.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { newToken } from '../dispatch-life/sides.ts';
import { TaskServer } from '../dispatch-life/task-server.ts';
import { isRehearsal, measure } from '../measure.ts';

const tasks = isRehearsal ? 200 : 2_000;
const nodes = 3;
const maxMs = 5;
const lookEveryMs = 1;

await measure(
  'cluster-locks',
  'Waits for a row lock while 16 clients of two owners submit at two replicas',
  async () => {
    const cluster = await startBenchCluster({}, { countsStatements: true });
    const bench = await DispatchBench.start({ workers: 8, outputBytes: 64, env: cluster.env });
    const other = await cluster.join();
    const url = bench.gateway.url;
    const server = await TaskServer.open({
      urls: [url, other.url],
      path: '/api/tasks',
      pid: bench.gateway.pid,
      others: [],
      tokens: [await newToken(url, 0), await newToken(url, 1)],
    });
    const submitAll = () => server.round({ tasks, nodes });
    await submitAll(); // the engine compiles what runs often
    const counts = await StatementCounts.open(cluster.database);
    await counts.begin();
    const watch = await watchLocks(cluster.database);
    await submitAll();
    const waits = await watch.end();
    const statements = (await counts.read()).all - watch.looks();
    const long = waits.filter((ms) => ms > maxMs).length;
    const share = long / statements;
    server.close();
    await counts.close();
    await bench.close();
    await cluster.close();
    return {
      figures: [
        { name: 'statements of the gateways', value: statements, unit: '' },
        { name: 'waits for a row lock that were seen', value: waits.length, unit: '' },
        { name: 'the longest of them', value: Math.max(0, ...waits), unit: 'ms' },
        { name: `statements that waited for longer than ${maxMs} ms`, value: share * 100, unit: '%' },
      ],
      bars: [
        { promise: `no wait for a row lock beyond ${maxMs} ms, p99 of all statements`, isMet: share <= 0.01 },
      ],
      notes: [
        `${tasks.toLocaleString('en')} instant tasks of ${nodes} nodes with an output on 8 workers. The locks of the database are looked at every ${lookEveryMs} ms, as often as it answers; a wait that begins and ends between two looks is not seen.`,
      ],
    };
  },
);

/** Looks all the time for how long each session has waited for the row of another one. */
async function watchLocks(database: string): Promise<{ end: () => Promise<number[]>; looks: () => number }> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const longest = new Map<string, number>();
  let looks = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      looks += 1;
      const { rows } = await client.query<{ pid: number; since: string; ms: number }>(
        `select pid, waitstart::text as since, extract(epoch from clock_timestamp() - waitstart)::float * 1000 as ms
        from pg_locks where not granted and waitstart is not null and locktype in ('transactionid', 'tuple')`,
      );
      for (const { pid, since, ms } of rows) {
        const key = `${pid} ${since}`;
        longest.set(key, Math.max(ms, longest.get(key) ?? 0));
      }
      await sleep(lookEveryMs);
    }
  })();
  return {
    looks: () => looks,
    end: async () => {
      isOver = true;
      await watching;
      await client.end();
      return [...longest.values()];
    },
  };
}
