import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';
import { fsyncMsP50 } from '../disk.ts';
import { DispatchBench } from '../dispatch-bench.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { median } from '../statistics.ts';

interface Case {
  name: string;
  workers: number;
  tasks: number;
  outputBytes?: number;
  runMs?: number;
}

const cases: Record<string, Case> = {
  output8: {
    name: 'instant tasks with one output of 20 kB, 8 workers',
    workers: 8,
    tasks: 2_000,
    outputBytes: 20_000,
  },
  output32: {
    name: 'instant tasks with one output of 20 kB, 32 workers',
    workers: 32,
    tasks: 2_000,
    outputBytes: 20_000,
  },
  instant8: { name: 'instant tasks, 8 workers', workers: 8, tasks: 4_000 },
  instant32: { name: 'instant tasks, 32 workers', workers: 32, tasks: 4_000 },
  // So many tasks that the first second, in which all are submitted, matters little.
  short8: { name: 'tasks of 50 ms, 8 workers', workers: 8, tasks: 2_400, runMs: 50 },
};
const rounds = isRehearsal ? 1 : 3;
const idealShortRate = 160;

await measure(
  'dispatch-rate',
  'Tasks a second, submitted over HTTP, all commits synced (synchronous=FULL)',
  async () => {
    const folder = temporaryFolder();
    const fsyncMs = fsyncMsP50(folder.path);
    folder.remove();
    const rates: Record<string, number> = {};
    const faults: string[] = [];
    for (const [key, run] of Object.entries(cases)) {
      const { rate, found } = await runCase(run);
      rates[key] = rate;
      faults.push(...found);
    }
    const { instant8 = 0, instant32 = 0, output8 = 0, output32 = 0, short8 = 0 } = rates;
    const figures = Object.entries(cases).map(
      ([key, { name }]): Figure => ({
        name: `${name} (median of ${rounds})`,
        value: rates[key] ?? 0,
        unit: '/s',
      }),
    );
    return {
      figures: [...figures, { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' }],
      bars: [
        { promise: '≥ 350 tasks/s at 8 workers with one output of 20 kB', isMet: output8 >= 350 },
        { promise: '≥ 800 tasks/s at 8 workers without outputs', isMet: instant8 >= 800 },
        {
          promise: 'not falling from 8 to 32 workers',
          isMet: instant32 >= 0.9 * instant8 && output32 >= 0.9 * output8,
        },
        { promise: `≥ 145/s of the ideal ${idealShortRate} with tasks of 50 ms`, isMet: short8 >= 145 },
        {
          promise:
            '0 lost, 0 duplicate prompt ids, never two prompts on a worker, every commit there after kill -9',
          isMet: faults.length === 0,
        },
      ],
      notes: [
        'Four different graphs take turns. A client listens to everything at `/ws`, and the time ends when it has heard of the last task; it shares the processors with gateway and workers.',
        ...faults,
      ],
    };
  },
);

async function runCase({
  name,
  tasks: wanted,
  ...options
}: Case): Promise<{ rate: number; found: string[] }> {
  const tasks = isRehearsal ? wanted / 20 : wanted;
  const bench = await DispatchBench.start(options);
  // Warms up until the engine has compiled the gateway.
  const warmUp = tasks / 2;
  await bench.rate(warmUp);
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) rates.push(await bench.rate(tasks));
  const submitted = warmUp + rounds * tasks;
  const stats = await bench.fleet.stats();
  await bench.kill();
  const found = faultsIn(bench.databaseFile, submitted).map((fault) => `${name}: ${fault}`);
  const accepted = stats.reduce((sum, worker) => sum + worker.accepted, 0);
  if (accepted !== submitted) found.push(`${name}: ${accepted} prompts for ${submitted} tasks`);
  if (stats.some(({ duplicateIds }) => duplicateIds > 0)) found.push(`${name}: a prompt id came twice`);
  if (stats.some(({ maxHeld }) => maxHeld > 1)) found.push(`${name}: a worker held two prompts`);
  await bench.close();
  return { rate: median(rates), found };
}

/** The content of the file after the process was killed, read by another connection. */
function faultsIn(file: string, submitted: number): string[] {
  const connection = new SqliteConnection(file);
  const count = (sql: string) =>
    Number((connection.run(sql).rows[0] as { count: number } | undefined)?.count);
  const completed = count("select count(*) as count from tasks where status = 'completed'");
  const attempts = count("select count(*) as count from task_attempts where outcome = 'completed'");
  connection.close();
  if (completed === submitted && attempts === submitted) return [];
  return [`${completed} tasks and ${attempts} attempts of ${submitted} are completed on disk`];
}
