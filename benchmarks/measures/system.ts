import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { DispatchBench } from '../dispatch-bench.ts';
import { isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const files = 100_000;
const users = 200;
const deliveries = 50_000;
const records = 100_000;
const dead = 1_000;
const reads = isRehearsal ? 30 : 300;

await measure('system', `The system report with ${files.toLocaleString('en')} files`, async () => {
  const bench = await DispatchBench.start({ workers: 8 });
  fill(bench.databaseFile);
  const report = await timed(bench, '/api/system');
  const overview = await timed(bench, '/api/monitor/overview');
  const ready = await timed(bench, '/readyz');
  const { data } = await bench.get<{ data: { deadJobs: { total: number }; retention: Retained[] } }>(
    '/api/system',
  );
  await bench.close();
  const counted = data.retention.filter(({ countIsMinimum }) => countIsMinimum).map(({ what }) => what);
  if (data.deadJobs.total !== dead || counted.length < 3)
    throw new Error(`The report does not see what was written: ${JSON.stringify(data.retention)}`);
  return {
    figures: [
      { name: 'system, p50', value: median(report), unit: 'ms' },
      { name: 'system, p99', value: percentile(report, 99), unit: 'ms' },
      {
        name: 'baseline: /readyz alone, which writes to the disk, p99',
        value: percentile(ready, 99),
        unit: 'ms',
      },
      { name: 'overview, p99', value: percentile(overview, 99), unit: 'ms' },
    ],
    bars: [{ promise: 'system: p99 ≤ 100 ms', isMet: percentile(report, 99) <= 100 }],
    notes: [
      `${reads} reads of each, one after the other, over loopback.`,
      `${users} users have the files, and ${deliveries.toLocaleString('en')} deliveries, ${records.toLocaleString('en')} records of changes and ${dead.toLocaleString('en')} dead jobs are old.`,
    ],
  };
});

interface Retained {
  what: string;
  countIsMinimum: boolean;
}

async function timed(bench: DispatchBench, path: string): Promise<number[]> {
  await bench.get(path);
  const took: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    const started = performance.now();
    await bench.get(path);
    took.push(performance.now() - started);
  }
  return took;
}

/** Writes directly to the database what takes a gateway months. All of it is older than it is kept. */
function fill(file: string): void {
  const connection = new SqliteConnection(file);
  const numbers = (count: number) =>
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  const id = `printf('00000000-0000-7000-8000-%012d', i)`;
  const at = "'2020-01-01T00:00:00.000Z'";
  connection.run('begin immediate');
  connection.run(
    `${numbers(files)} insert into files (id, owner, filename, sha256, size, contentType, source, createdAt)
     select ${id}, 'user-' || (i % ${users}), 'x.png', printf('%064x', i), 1000, 'image/png', 'upload', ${at} from n`,
  );
  connection.run(
    `insert into file_usage (owner, bytes, count) select owner, sum(size), count(*) from files group by owner
     on conflict (owner) do update set count = excluded.count, bytes = excluded.bytes`,
  );
  connection.run(
    `${numbers(deliveries)} insert into webhook_deliveries (id, owner, taskId, url, event, payload, status, attempts, createdAt)
     select ${id}, 'user-1', ${id}, 'https://example.org/', 'task.completed', '{}', 'delivered', 1, ${at} from n`,
  );
  connection.run(
    `${numbers(records)} insert into audit_records (id, at, actor, actorName, via, action, details)
     select ${id}, ${at}, 'user-1', 'a@example.org', 'cookie', 'settings.changed', '{}' from n`,
  );
  connection.run(
    `${numbers(dead)} insert into jobs (id, kind, payload, attempt, lastError, diedAtMs)
     select ${id}, 'dispatch.deliver-webhook', '{}', 9, 'It answered 500.', 1577836800000 + i from n`,
  );
  connection.run('commit');
  connection.close();
}
