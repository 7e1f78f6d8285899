import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import type { DispatchBench } from './dispatch-bench.ts';

/** Writes directly to the database what no client could: tasks that ended long ago, and their counters. */
export async function storeEndedTasks(bench: DispatchBench, rows: number): Promise<void> {
  const owner = await ownerOf(bench);
  const connection = new SqliteConnection(bench.databaseFile);
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

async function ownerOf(bench: DispatchBench): Promise<string> {
  const id = await bench.submit();
  const { data } = await bench.get<{ data: { owner: string } }>(`/api/tasks/${id}?wait=10`);
  return data.owner;
}
