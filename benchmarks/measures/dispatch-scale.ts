import { setTimeout as sleep } from 'node:timers/promises';
import { DispatchBench } from '../dispatch-bench.ts';
import { isRehearsal, measure } from '../measure.ts';
import { mainThreadMs, residentMb } from '../process-usage.ts';
import { median } from '../statistics.ts';
import { storeEndedTasks } from '../stored-tasks.ts';

const few = 1_000;
const many = isRehearsal ? 20_000 : 1_000_000;
const queued = isRehearsal ? 2_000 : 100_000;
const tasks = isRehearsal ? 100 : 1_000;
const rounds = isRehearsal ? 1 : 5;
const pool = { workers: 8, outputBytes: 20_000 };
const settleMs = 5_000;
/** Time for memory that the engine gives back late. */
const restMs = isRehearsal ? settleMs : 120_000;

await measure(
  'dispatch-scale',
  `A task with ${few.toLocaleString('en')} and ${many.toLocaleString('en')} stored, and the memory of ${queued.toLocaleString('en')} that wait`,
  async () => {
    const { fewMs, manyMs } = await besideStoredTasks();
    const { idleMb, burstMb, restedMb, restartedMb } = await memoryOfQueue();
    const waiting = `${queued.toLocaleString('en')} tasks wait`;
    return {
      figures: [
        { name: `main thread, a task, ${few.toLocaleString('en')} stored`, value: fewMs, unit: 'ms' },
        { name: `main thread, a task, ${many.toLocaleString('en')} stored`, value: manyMs, unit: 'ms' },
        { name: 'resident memory, idle', value: idleMb, unit: 'MB' },
        { name: `resident memory, ${waiting}: right after the last submit`, value: burstMb, unit: 'MB' },
        { name: `resident memory, ${waiting}: after rest`, value: restedMb, unit: 'MB' },
        { name: `resident memory, ${waiting}: after a restart`, value: restartedMb, unit: 'MB' },
      ],
      bars: [
        {
          promise: `the main thread's time for a task with ${many.toLocaleString('en')} stored within 10 % of that with ${few.toLocaleString('en')}`,
          isMet: manyMs <= 1.1 * fewMs,
        },
        { promise: `≤ 250 MB while ${waiting}, right after the last submit`, isMet: burstMb <= 250 },
        { promise: `≤ 250 MB while ${waiting}, after rest`, isMet: restedMb <= 250 },
        { promise: `≤ 250 MB while ${waiting}, after a restart`, isMet: restartedMb <= 250 },
      ],
      notes: [
        `${rounds} rounds of ${tasks.toLocaleString('en')} tasks with an output of 20 kB at 8 instant workers; two gateways take turns, one has few tasks stored, the other many. Medians.`,
        `The waiting tasks were submitted over HTTP by 16 clients at once. The rest lasts ${restMs / 1_000} s, and after the restart the gateway has ${settleMs / 1_000} s. No collection is forced.`,
      ],
    };
  },
);

async function besideStoredTasks(): Promise<{ fewMs: number; manyMs: number }> {
  const sides = [await DispatchBench.start(pool), await DispatchBench.start(pool)] as const;
  const [small, large] = sides;
  await storeEndedTasks(large, many);
  // The engine compiles what it will run.
  for (const side of sides) await side.rate(few);
  const took = { small: [] as number[], large: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    took.small.push(await mainMsOfTask(small));
    took.large.push(await mainMsOfTask(large));
  }
  for (const side of sides) await side.close();
  return { fewMs: median(took.small), manyMs: median(took.large) };
}

async function mainMsOfTask(bench: DispatchBench): Promise<number> {
  const before = mainThreadMs(bench.gateway.pid);
  await bench.rate(tasks);
  return (mainThreadMs(bench.gateway.pid) - before) / tasks;
}

interface QueueMemory {
  idleMb: number;
  burstMb: number;
  restedMb: number;
  restartedMb: number;
}

async function memoryOfQueue(): Promise<QueueMemory> {
  const bench = await DispatchBench.start({
    workers: 1,
    runMs: 3_600_000,
    env: {
      SWITCHYARD__DISPATCH__MAX_QUEUED: String(2 * queued),
      SWITCHYARD__DISPATCH__MAX_QUEUED_PER_USER: String(2 * queued),
    },
  });
  await sleep(settleMs);
  const idleMb = residentMb(bench.gateway.pid);
  let left = queued;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await bench.submit();
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  const burstMb = residentMb(bench.gateway.pid);
  await sleep(restMs);
  const restedMb = residentMb(bench.gateway.pid);
  await bench.restart();
  await sleep(settleMs);
  const restartedMb = residentMb(bench.gateway.pid);
  const { data } = await bench.get<{ data: { total: number } }>('/api/tasks?status=pending&limit=1');
  await bench.close();
  if (data.total < queued - 1) throw new Error(`Only ${data.total} tasks wait.`);
  return { idleMb, burstMb, restedMb, restartedMb };
}
