import sharp from 'sharp';
import { DispatchBench } from '../dispatch-bench.ts';
import { isRehearsal, measure } from '../measure.ts';
import { loopDelayMs, residentMb } from '../process-usage.ts';

const pictures = isRehearsal ? 40 : 200;
const edge = { width: 2_000, height: 2_000 };
const atOnce = 16;
const uploadsAtOnce = 4;
/** Tasks that are on their way all the time, so that the queue is busy. */
const tasksAtOnce = 8;

await measure('thumbnails', `Thumbnails of ${pictures} pictures of 4 MP beside a busy queue`, async () => {
  const bench = await DispatchBench.start({ workers: 8, runMs: 50, outputBytes: 20_000 });
  await bench.rate(50, tasksAtOnce);
  const ids: string[] = [];
  const numbers = Array.from({ length: pictures }, (_, number) => number);
  await inLanes(numbers, uploadsAtOnce, async (number) => {
    ids[number] = await upload(bench, await photograph(number));
  });
  const [warmUp] = ids;
  await load(bench, `${warmUp}`, 64);
  const idle = await busyWhile(bench, async () => undefined, 3_000);

  const started = performance.now();
  const made = await busyWhile(bench, () => inLanes(ids, atOnce, (id) => load(bench, id, 256)));
  const madeSeconds = (performance.now() - started) / 1_000;
  const again = performance.now();
  await inLanes(ids, atOnce, (id) => load(bench, id, 256));
  const againMs = performance.now() - again;
  const memoryMb = residentMb(bench.gateway.pid);
  await bench.close();
  const seconds = (madeSeconds * 200) / pictures;
  return {
    figures: [
      { name: 'seconds for 200, made', value: seconds, unit: '' },
      { name: 'milliseconds for all, read again', value: againMs, unit: 'ms' },
      { name: 'loop delay p99 of the gateway meanwhile', value: made.delayMs, unit: 'ms' },
      { name: 'baseline: loop delay p99 with the queue alone', value: idle.delayMs, unit: 'ms' },
      { name: 'tasks meanwhile', value: made.tasksPerSecond, unit: '/s' },
      { name: 'baseline: tasks with the queue alone', value: idle.tasksPerSecond, unit: '/s' },
      { name: 'memory of the gateway afterwards', value: memoryMb, unit: 'MB' },
    ],
    bars: [
      { promise: '200 pictures of 4 MP in ≤ 20 s', isMet: seconds <= 20 },
      { promise: 'loop delay p99 ≤ 20 ms', isMet: made.delayMs <= 20 },
    ],
    notes: [
      `${tasksAtOnce} tasks of 50 ms with an output of 20 kB are under way all the time; ${atOnce} thumbnails are asked for at once.`,
      'The pictures are JPEGs with noise. The delay is the one that GET /metrics shows, over the time since it was read before.',
    ],
  };
});

/** Noise, so that no decoder has an easy time. Each is another one. */
async function photograph(number: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 100 + (number % 50), sigma: 30 } as const;
  return sharp({ create: { ...edge, channels: 3, background: 'black', noise } })
    .jpeg({ quality: 85 + (number % 10) })
    .toBuffer();
}

async function upload(bench: DispatchBench, picture: Buffer): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(picture)]), 'noise.jpg');
  const answer = await fetch(new URL('/api/files/upload', bench.gateway.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${bench.token}` },
    body,
  });
  if (!answer.ok) throw new Error(await answer.text());
  const { data } = (await answer.json()) as { data: { fileId: string } };
  return data.fileId;
}

async function load(bench: DispatchBench, fileId: string, size: number): Promise<void> {
  const answer = await fetch(new URL(`/api/files/${fileId}/thumbnail?size=${size}`, bench.gateway.url), {
    headers: { authorization: `Bearer ${bench.token}` },
  });
  const bytes = await answer.arrayBuffer();
  if (!answer.ok) throw new Error(Buffer.from(bytes).toString());
}

/** Keeps tasks under way while the work goes on, and for at least this long. */
async function busyWhile(
  bench: DispatchBench,
  work: () => Promise<void>,
  leastMs = 0,
): Promise<{ delayMs: number; tasksPerSecond: number }> {
  let isOver = false;
  let tasks = 0;
  await loopDelayMs(bench.gateway.url);
  const started = performance.now();
  const queue = (async () => {
    while (!isOver) {
      await bench.rate(tasksAtOnce, tasksAtOnce);
      tasks += tasksAtOnce;
    }
  })();
  await Promise.all([work(), new Promise((resolve) => setTimeout(resolve, leastMs))]);
  const delayMs = await loopDelayMs(bench.gateway.url);
  isOver = true;
  await queue;
  return { delayMs, tasksPerSecond: (tasks / (performance.now() - started)) * 1_000 };
}

async function inLanes<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
