import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { DispatchBench } from '../dispatch-bench.ts';
import { isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const files = 100_000;
const generations = 20;
const reads = isRehearsal ? 40 : 400;

await measure('recipe', `Recipe and lineage with ${files.toLocaleString('en')} files`, async () => {
  const bench = await DispatchBench.start({ workers: 1 });
  const owner = await ownerOf(bench);
  fill(bench.databaseFile, owner);
  const [first, last] = [fileId(1), fileId(generations + 1)];
  const paths = {
    'recipe of any file': () => `/api/files/${fileId(1 + Math.floor(Math.random() * files))}/recipe`,
    [`lineage of depth ${generations}, up`]: () => `/api/files/${last}/lineage?direction=up`,
    [`lineage of depth ${generations}, down`]: () => `/api/files/${first}/lineage?direction=down`,
    'first page of files': () => '/api/files',
    'page of one kind': () => '/api/files?kind=image&limit=200',
  };
  const results: { name: string; p50: number; p99: number }[] = [];
  for (const [name, path] of Object.entries(paths)) {
    await bench.get(path());
    const took: number[] = [];
    for (let read = 0; read < reads; read += 1) {
      const address = path();
      const started = performance.now();
      await bench.get(address);
      took.push(performance.now() - started);
    }
    results.push({ name, p50: median(took), p99: percentile(took, 99) });
  }
  const nodes = await nodesIn(bench, last);
  await bench.close();
  if (nodes !== 2 * generations + 1) throw new Error(`The lineage has ${nodes} nodes.`);
  const worst = (start: string) =>
    Math.max(...results.filter(({ name }) => name.startsWith(start)).map(({ p99 }) => p99));
  return {
    figures: results.flatMap(({ name, p50, p99 }) => [
      { name: `${name}, p50`, value: p50, unit: 'ms' as const },
      { name: `${name}, p99`, value: p99, unit: 'ms' as const },
    ]),
    bars: [
      { promise: 'recipe p99 ≤ 20 ms', isMet: worst('recipe') <= 20 },
      { promise: `lineage of depth ${generations} p99 ≤ 50 ms`, isMet: worst('lineage') <= 50 },
    ],
    notes: [
      `${reads} reads of each, one after the other, over loopback.`,
      `Each ${generations + 1} files are a line: an upload, its picture, the picture of that one and so on.`,
    ],
  };
});

async function ownerOf(bench: DispatchBench): Promise<string> {
  const id = await bench.submit();
  const { data } = await bench.get<{ data: { owner: string } }>(`/api/tasks/${id}?wait=10`);
  return data.owner;
}

async function nodesIn(bench: DispatchBench, id: string): Promise<number> {
  const { data } = await bench.get<{ data: { files: unknown[]; tasks: unknown[]; cut: string | null } }>(
    `/api/files/${id}/lineage?direction=up`,
  );
  return data.cut === null ? data.files.length + data.tasks.length : 0;
}

function fileId(number: number): string {
  return `bench-file-${String(number).padStart(8, '0')}`;
}

/** Lines of files, written directly to the database: each but the first of a line is the picture of the one before. */
function fill(file: string, owner: string): void {
  const connection = new SqliteConnection(file);
  const line = generations + 1;
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${files})`;
  const made = `(i - 1) % ${line} > 0`;
  const id = (offset: number) => `printf('bench-file-%08d', i + ${offset})`;
  const sha = (offset: number) => `printf('%064x', i + ${offset})`;
  const task = `printf('00000000-0000-7000-8000-%012d', i)`;
  const graph = JSON.stringify(exampleGraph());
  connection.run('begin immediate');
  connection.run(
    `${numbers} insert into files (id, owner, filename, sha256, size, contentType, source, taskId, createdAt)
     select ${id(0)}, ?, 'x.png', ${sha(0)}, 1000, 'image/png', case when ${made} then 'output' else 'upload' end,
       case when ${made} then ${task} end, printf('2026-01-01T00:%02d:%02d.%03dZ', i / 60000 % 60, i / 1000 % 60, i % 1000) from n`,
    [owner],
  );
  connection.run(
    `${numbers} insert into tasks (id, owner, status, phase, progress, priority, tags, attempt, cancelRequested, fingerprint,
       retryPolicy, maxAttempts, warnings, createdAt, updatedAt)
     select ${task}, ?, 'completed', 'ended', 100, 0, '[]', 1, 0, 'x.', 'on_lost', 3, '[]', '2026-01-01T00:00:00.000Z',
       '2026-01-01T00:00:00.000Z' from n where ${made}`,
    [owner],
  );
  connection.run(
    `${numbers} insert into task_inputs (taskId, workflow, params, requirement)
     select ${task}, ?, json_object('1.image', json_object('$file', ${id(-1)})), '{}' from n where ${made}`,
    [graph],
  );
  connection.run(
    `${numbers} insert into task_attempts (taskId, attempt, instanceId, serverName, workerVersion, promptId, clientId, state, startedAt)
     select ${task}, 1, '127.0.0.1:1', 'box', '0.3.64', 'p', 'c', 'ended', '2026-01-01T00:00:00.000Z' from n where ${made}`,
  );
  connection.run(
    `${numbers} insert into task_sources (taskId, fileId, owner, sha256, filename)
     select ${task}, ${id(-1)}, ?, ${sha(-1)}, 'x.png' from n where ${made}`,
    [owner],
  );
  connection.run(
    `insert into file_usage (owner, bytes, count) values (?, ${files * 1000}, ${files})
     on conflict (owner) do update set count = file_usage.count + excluded.count`,
    [owner],
  );
  connection.run('commit');
  connection.close();
}

/** As many nodes as an ordinary graph of pictures has. */
function exampleGraph(): Record<string, object> {
  const filler = Array.from({ length: 30 }, (_, index): [string, object] => [
    String(index + 2),
    { class_type: 'KSampler', inputs: { seed: index, steps: 20, cfg: 7.5, text: 'a red kite '.repeat(20) } },
  ]);
  return { '1': { class_type: 'LoadImage', inputs: { image: 'x.png' } }, ...Object.fromEntries(filler) };
}
