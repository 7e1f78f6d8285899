import { DispatchBench } from '../dispatch-bench.ts';
import { measure } from '../measure.ts';
import { median, percentile } from '../statistics.ts';
import { storeEndedTasks } from '../stored-tasks.ts';

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
  await storeEndedTasks(bench, rows);
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
