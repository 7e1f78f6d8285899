import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startBenchCluster } from '../cluster/bench-replicas.ts';
import { StatementCounts } from '../cluster/statement-counts.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { newToken } from '../dispatch-life/sides.ts';
import { workflows } from '../graphs/workflows.ts';
import { httpCall } from '../http-call.ts';
import { isRehearsal, measure } from '../measure.ts';
import { TaskEnds } from '../task-ends.ts';

const tasks = isRehearsal ? 200 : 2_000;
const clients = 16;
const maxMs = 5;
const lookEveryMs = 1;

await measure(
  'cluster-locks',
  'Waits for a row lock while 16 clients of two owners submit at two replicas',
  async () => {
    const cluster = await startBenchCluster({}, { countsStatements: true });
    const bench = await DispatchBench.start({ workers: 8, outputBytes: 64, env: cluster.env });
    const other = await cluster.join();
    const urls = [bench.gateway.url, other.url];
    const owners = await Promise.all(
      [0, 1].map(async (owner) => {
        const token = await newToken(bench.gateway.url, owner);
        return { token, ends: await TaskEnds.open(bench.gateway.url, token) };
      }),
    );
    const agent = new Agent({ keepAlive: true });
    const submitAll = async () => {
      let left = tasks;
      const sent = [0, 0];
      const lane = async (index: number): Promise<void> => {
        const owner = index % owners.length;
        const url = new URL('/api/tasks', urls[Math.floor(index / 2) % urls.length]);
        while (left > 0) {
          left -= 1;
          const body = JSON.stringify({ workflow: workflows[left % workflows.length], params: {} });
          sent[owner] = (sent[owner] ?? 0) + 1;
          const headers = { authorization: `Bearer ${owners[owner]?.token}` };
          await httpCall(agent, { method: 'POST', url, headers, body });
        }
      };
      const before = owners.map(({ ends }) => ends.count);
      await Promise.all(Array.from({ length: clients }, (_, index) => lane(index)));
      await Promise.all(
        owners.map(({ ends }, owner) => ends.until((before[owner] ?? 0) + (sent[owner] ?? 0))),
      );
    };
    await submitAll(); // the engine compiles what runs often
    const counts = await StatementCounts.open(cluster.database);
    await counts.begin();
    const watch = await watchLocks(cluster.database);
    await submitAll();
    const waits = await watch.end();
    const statements = (await counts.read()).all - watch.looks();
    const long = waits.filter((ms) => ms > maxMs).length;
    const share = long / statements;
    for (const { ends } of owners) ends.close();
    agent.destroy();
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
        `${tasks.toLocaleString('en')} instant tasks with an output on 8 workers. The locks of the database are looked at every ${lookEveryMs} ms, as often as it answers; a wait that begins and ends between two looks is not seen.`,
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
