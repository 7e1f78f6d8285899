import { NodeRecord } from '@switchyard/server/dispatch/tasks/node-record';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { DispatchBench } from '../dispatch-bench.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';

const rows = isRehearsal ? 20_000 : 1_000_000;
const recorded = isRehearsal ? 1_000 : 10_000;
const nodes = 50;
const workers = 8;
const waiting = isRehearsal ? 40 : 400;
const reads = isRehearsal ? 20 : 300;
/** What a task with an output may cost at the least rate that is promised for such tasks. */
const msOfTask = 1_000 / 350;

await measure(
  'why',
  `Why a task waits and what its nodes took, with ${rows.toLocaleString('en')} tasks, ${nodes} nodes recorded for the last ${recorded.toLocaleString('en')}`,
  async () => {
    const bench = await DispatchBench.start({ workers, runMs: 3_600_000 });
    const ids: string[] = [];
    for (let task = 0; task < workers + waiting; task += 1) ids.push(await bench.submit());
    const seeded = fill(bench.databaseFile, bench.fleet.ports);
    const pending = ids.slice(-waiting);
    const why = await timed(bench, (read) => `/api/tasks/${pending[read % waiting]}/why`);
    const list = await timed(bench, () => '/api/tasks?status=pending&limit=50');
    const record = await timed(bench, (read) => `/api/tasks/${seeded[read % seeded.length]}/nodes`);
    const known = await bench.get<{ data: { eta: unknown; waiting: string } }>(
      `/api/tasks/${pending[0]}/why`,
    );
    const shown = await bench.get<{ data: { items: unknown[] } }>(`/api/tasks/${seeded[0]}/nodes`);
    await bench.close();
    if (known.data.eta === null) throw new Error(`There is no estimate: ${known.data.waiting}`);
    if (shown.data.items.length !== nodes) throw new Error('The nodes of a seeded task are not there.');
    const recordMs = msOfRecording();
    return {
      figures: [
        ...figuresOf('why', why),
        ...figuresOf('first page of pending tasks, each with its reason', list),
        ...figuresOf(`the ${nodes} nodes of a task`, record),
        { name: `recording ${nodes} nodes (p50)`, value: recordMs * 1_000, unit: 'µs' },
      ],
      bars: [
        { promise: 'why: p99 ≤ 20 ms', isMet: percentile(why, 99) <= 20 },
        {
          promise: 'recording the nodes takes ≤ 5 % of the processor time of a task with an output',
          isMet: recordMs <= 0.05 * msOfTask,
        },
      ],
      notes: [
        `${reads} reads of each, one after the other, over loopback; ${waiting} tasks wait behind ${workers} that run.`,
        'Recording is measured apart from its database; dispatch-rate has the whole.',
      ],
    };
  },
);

function figuresOf(name: string, took: readonly number[]): Figure[] {
  return [
    { name: `${name}, p50`, value: median(took), unit: 'ms' },
    { name: `${name}, p99`, value: percentile(took, 99), unit: 'ms' },
  ];
}

async function timed(bench: DispatchBench, pathOf: (read: number) => string): Promise<number[]> {
  const took: number[] = [];
  for (let read = 0; read < reads; read += 1) {
    const started = performance.now();
    await bench.get(pathOf(read));
    took.push(performance.now() - started);
  }
  return took;
}

/** Notes the events of one task and makes its record, as a runner does. */
function recordOfNodes(startMs: number): string {
  const record = new NodeRecord(null);
  record.begin(() => true);
  for (let node = 0; node < nodes; node += 1) {
    const nodeId = `${node}`;
    record.takeIn({ type: 'node_started', promptId: 'p', nodeId, topNodeId: nodeId }, startMs + node * 40);
  }
  record.end(startMs + nodes * 40);
  return record.toJson() ?? '';
}

function msOfRecording(): number {
  const took: number[] = [];
  for (let round = 0; round < 2_000; round += 1) {
    const started = performance.now();
    recordOfNodes(Date.UTC(2026, 0, 1));
    took.push(performance.now() - started);
  }
  return median(took);
}

/**
 * Writes directly to the database what no client could: a million tasks of the graphs that wait, completed in the past, and
 * what their nodes took. Returns the ids of those with nodes.
 */
function fill(file: string, ports: readonly number[]): string[] {
  const connection = new SqliteConnection(file);
  const graphs = connection.run('select distinct fingerprint, owner from tasks').rows as {
    fingerprint: string;
    owner: string;
  }[];
  const [{ owner = '' } = {}] = graphs;
  const fingerprints = JSON.stringify(graphs.map(({ fingerprint }) => fingerprint));
  const instances = JSON.stringify(ports.map((port) => `127.0.0.1:${port}`));
  connection.run('begin immediate');
  connection.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows})
     insert into tasks (id, owner, status, phase, progress, priority, tags, attempt, cancelRequested, fingerprint,
       retryPolicy, maxAttempts, warnings, createdAt, updatedAt, startedAt, finishedAt, instanceId)
     select printf('00000000-0000-7000-8000-%012d', i), ?, 'completed', 'ended', 100, 0, '[]', 1, 0,
       json_extract(?, '$[' || (i % ${graphs.length}) || ']'), 'on_lost', 3, '[]',
       strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' seconds'),
       strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' seconds'),
       strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' seconds'),
       strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || (i + 2 + i % 7) || ' seconds'),
       json_extract(?, '$[' || (i % ${ports.length}) || ']') from n`,
    [owner, fingerprints, instances],
  );
  connection.run(
    `insert into task_attempts (taskId, attempt, instanceId, promptId, clientId, state, outcome, startedAt, acceptedAt, endedAt, nodes)
     select id, 1, instanceId, id, 'bench', 'ended', 'completed', startedAt, startedAt, finishedAt, ? from tasks
     where id > printf('00000000-0000-7000-8000-%012d', ${rows - recorded}) and id <= printf('00000000-0000-7000-8000-%012d', ${rows})`,
    [recordOfNodes(Date.UTC(2026, 0, 1))],
  );
  connection.run(
    `insert into task_inputs (taskId, workflow, params, requirement)
     select taskId, ?, '{}', '{}' from task_attempts where clientId = 'bench'`,
    [JSON.stringify(graphOfNodes())],
  );
  connection.run('commit');
  connection.close();
  return Array.from(
    { length: recorded },
    (_, index) => `00000000-0000-7000-8000-${String(rows - index).padStart(12, '0')}`,
  );
}

function graphOfNodes(): Record<string, object> {
  const node = { class_type: 'ImageInvert', inputs: { image: ['0', 0] }, _meta: { title: 'A step' } };
  return Object.fromEntries(Array.from({ length: nodes }, (_, index) => [String(index), node]));
}
