import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { Inspector } from '../conversation/inspector.ts';
import { measure } from '../measure.ts';

const first = 100;
const all = 1_000;
const clients = 16;
const retentionMs = 2_000;
/** Time for the retention's timers, and for memory that the system takes back late. */
const settleMs = 3_000;

await measure(
  'conversation-memory',
  `Memory after ${all} runs whose streams are no longer kept`,
  async () => {
    const bench = await startGateway({
      NODE_OPTIONS: '--inspect=127.0.0.1:0',
      SWITCHYARD__CONVERSATION__STREAM_RETENTION: `${retentionMs / 1_000}s`,
    });
    const inspector = await Inspector.open(bench.gateway.output());
    const idle = await inspector.memoryAfterCollection();
    await runs(bench, first);
    const before = await afterRetention(inspector);
    await runs(bench, all - first);
    const after = await afterRetention(inspector);
    inspector.close();
    await bench.close();
    return {
      figures: [
        { name: 'heap before any run', value: idle.heapMb, unit: 'MB' },
        { name: `heap after ${first} runs`, value: before.heapMb, unit: 'MB' },
        { name: `heap after ${all} runs`, value: after.heapMb, unit: 'MB' },
        { name: 'resident before any run', value: idle.residentMb, unit: 'MB' },
        { name: `resident after ${first} runs`, value: before.residentMb, unit: 'MB' },
        { name: `resident after ${all} runs`, value: after.residentMb, unit: 'MB' },
      ],
      bars: [
        {
          promise: `heap within 5 MB of where it was after the first ${first}`,
          isMet: after.heapMb - before.heapMb <= 5,
        },
        {
          promise: `resident memory within 60 MB of where it was after the first ${first}`,
          isMet: after.residentMb - before.residentMb <= 60,
        },
      ],
      notes: [
        `Each run streams 200 tokens in a thread of its own, ${clients} at a time; streams are kept for ${retentionMs / 1_000} s here, and both figures are taken after that and after a forced collection.`,
      ],
    };
  },
);

async function runs({ client }: BenchGateway, count: number): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const threadId = await client.createThread();
      await client.stream(
        { threadId, graph: 'fast', streamMode: ['messages-tuple', 'values'] },
        () => undefined,
      );
    }
  };
  await Promise.all(Array.from({ length: clients }, lane));
}

async function afterRetention(inspector: Inspector): ReturnType<Inspector['memoryAfterCollection']> {
  await sleep(retentionMs + settleMs);
  return inspector.memoryAfterCollection();
}
