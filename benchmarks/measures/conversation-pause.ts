import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { isRehearsal, measure } from '../measure.ts';
import { mainThreadMs } from '../process-usage.ts';
import { median } from '../statistics.ts';

const clients = 16;
const warmUpRuns = isRehearsal ? 50 : 1_000;
const burstRuns = isRehearsal ? 20 : 100;
const rounds = isRehearsal ? 1 : 6;
/** The engine takes eight seconds without work for the end of it, and tidies up. */
const pauseMs = isRehearsal ? 1_000 : 25_000;
const maxShare = 1.15;

interface Burst {
  firstMs: number;
  mainMsPerRun: number;
}

await measure('conversation-pause', 'What runs cost after a pause, beside runs without one', async () => {
  const bench = await startGateway();
  await burst(bench, warmUpRuns);
  const straight: Burst[] = [];
  const paused: Burst[] = [];
  for (let round = 0; round < rounds; round += 1) {
    straight.push(await burst(bench, burstRuns));
    await sleep(pauseMs);
    paused.push(await burst(bench, burstRuns));
  }
  await bench.close();
  const [firstBefore, firstAfter] = [straight, paused].map((all) =>
    median(all.map(({ firstMs }) => firstMs)),
  );
  const [mainBefore, mainAfter] = [straight, paused].map((all) =>
    median(all.map(({ mainMsPerRun }) => mainMsPerRun)),
  );
  if (!firstBefore || !firstAfter || !mainBefore || !mainAfter) throw new Error('No run was measured.');
  return {
    figures: [
      { name: 'main thread for a run, without a pause', value: mainBefore, unit: 'ms' },
      { name: 'main thread for a run, after a pause', value: mainAfter, unit: 'ms' },
      { name: 'main thread, after a pause to without', value: mainAfter / mainBefore, unit: '×' },
      { name: 'first frame of the graph, without a pause', value: firstBefore, unit: 'ms' },
      { name: 'first frame of the graph, after a pause', value: firstAfter, unit: 'ms' },
    ],
    bars: [
      {
        promise: `after a pause a run costs the main thread ≤ ${maxShare} × what it costs without`,
        isMet: mainAfter <= maxShare * mainBefore,
      },
    ],
    notes: [
      `Bursts of ${burstRuns} runs of a one-node graph, ${clients} at a time, one before and one after ${pauseMs / 1_000} s without a request; medians of ${rounds} rounds. The gateway has done ${warmUpRuns} runs before.`,
    ],
  };
});

/** The threads are made before the time of their first frame begins. */
async function burst({ client, gateway }: BenchGateway, count: number): Promise<Burst> {
  const firstMs: number[] = [];
  const mainBefore = mainThreadMs(gateway.pid);
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const threadId = await client.createThread();
      const started = performance.now();
      let seenMs: number | undefined;
      await client.stream({ threadId, graph: 'echo', streamMode: ['updates'] }, ({ event }) => {
        if (event === 'updates') seenMs ??= performance.now() - started;
      });
      if (seenMs === undefined) throw new Error('A stream held no frame of its graph.');
      firstMs.push(seenMs);
    }
  };
  await Promise.all(Array.from({ length: clients }, lane));
  return {
    firstMs: median(firstMs),
    mainMsPerRun: (mainThreadMs(gateway.pid) - mainBefore) / count,
  };
}
