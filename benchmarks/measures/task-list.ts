import { SqliteConnection } from '@switchyard/server/platform/database/sqlite-connection';
import { DispatchBench } from '../dispatch-bench.ts';
import { measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const rows = 1_000_000;
const reads = 200;
const paths = {
  'first page': '/api/tasks',
  'first page of pending': '/api/tasks?status=pending',
  'first page of running': '/api/tasks?status=running',
  'first page of completed': '/api/tasks?status=completed',
  'first page of failed': '/api/tasks?status=failed',
  overview: '/api/monitor/overview',
};

await measure('task-list', `Task list and overview with ${rows.toLocaleString('en')} task rows`, async () => {
  const bench = await DispatchBench.start({ workers: 1 });
  const owner = await ownerOf(bench);
  fill(bench.databaseFile, owner);
  const results = [];
  for (const [name, path] of Object.entries(paths)) {
    const took: number[] = [];
    for (let read = 0; read < reads; read += 1) {
      const started = performance.now();
      await bench.get(path);
      took.push(performance.now() - started);
    }
    results.push({ name, p50: median(took), p99: percentile(took, 99) });
  }
  const total = (await bench.get<{ data: { total: number } }>('/api/tasks?limit=1')).data.total;
  await bench.close();
  if (total < rows) throw new Error(`The list counts ${total} tasks.`);
  return {
    figures: results.flatMap(({ name, p50, p99 }) => [
      { name: `${name}, p50`, value: p50, unit: 'ms' as const },
      { name: `${name}, p99`, value: p99, unit: 'ms' as const },
    ]),
    bars: [{ promise: 'p99 ≤ 50 ms for each', isMet: results.every(({ p99 }) => p99 <= 50) }],
    notes: [`${reads} reads of each, one after the other, over loopback.`],
  };
});

async function ownerOf(bench: DispatchBench): Promise<string> {
  const id = await bench.submit();
  const { data } = await bench.get<{ data: { owner: string } }>(`/api/tasks/${id}?wait=10`);
  return data.owner;
}

/** Writes directly to the database what no client could: tasks that ended long ago, and their counters. */
function fill(file: string, owner: string): void {
  const connection = new SqliteConnection(file);
  connection.run('begin immediate');
  connection.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
     insert into tasks (id, owner, status, phase, progress, priority, tags, attempt, cancelRequested, fingerprint,
       retryPolicy, maxAttempts, warnings, createdAt, updatedAt)
     select printf('00000000-0000-7000-8000-%012d', i), ?, case i % 10 when 0 then 'failed' else 'completed' end, 'ended',
       100, 0, '[]', 1, 0, 'x.', 'on_lost', 3, '[]', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
    [owner],
  );
  for (const [status, part] of [
    ['completed', 0.9],
    ['failed', 0.1],
  ] as const) {
    connection.run(
      `insert into task_counts (owner, status, count) values (?, ?, ?)
       on conflict (owner, status) do update set count = task_counts.count + excluded.count`,
      [owner, status, rows * part],
    );
  }
  connection.run('commit');
  connection.close();
}
