import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { Inspector, type Memory } from '../conversation/inspector.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { residentMb } from '../process-usage.ts';

const first = isRehearsal ? 20 : 100;
const all = isRehearsal ? 60 : 1_400;
const clients = 16;
const shortRetentionMs = 2_000;
/** What a gateway has that is not told otherwise. */
const defaultRetentionMs = isRehearsal ? 1_000 : 120_000;
/** Time for the retention's timers, and for memory that the system takes back late. */
const settleMs = 3_000;
/** The engine takes eight seconds without work for the end of it. */
const quietMs = isRehearsal ? 1_000 : 20_000;
const maxIdleMb = 150;
const maxAfterMb = 350;

await measure(
  'conversation-memory',
  `Memory after ${all} runs, with default settings and when their streams are no longer kept`,
  async () => {
    const usual = await withDefaults();
    const { idle, before, after } = await withShortRetention();
    return {
      figures: [
        ...figuresOf('default settings, before any run', usual.idle),
        { name: `time of the ${all} runs`, value: usual.tookMs, unit: 'ms' },
        ...figuresOf(`default settings, right after ${all} runs`, usual.after),
        ...figuresOf(`default settings, after ${all} runs and the retention`, usual.later),
        ...figuresOf('collected, before any run', idle),
        ...figuresOf(`collected, after ${first} runs`, before),
        ...figuresOf(`collected, after ${all} runs`, after),
      ],
      bars: [
        {
          promise: `default settings: at most ${maxIdleMb} MB resident before any run`,
          isMet: usual.idle.residentMb <= maxIdleMb,
        },
        {
          promise: `default settings: at most ${maxAfterMb} MB resident right after ${all} runs`,
          isMet: usual.after.residentMb <= maxAfterMb,
        },
        {
          promise: `collected heap within 5 MB of where it was after the first ${first}`,
          isMet: after.heapMb - before.heapMb <= 5,
        },
        {
          promise: `resident memory, collected, within 60 MB of where it was after the first ${first}`,
          isMet: after.residentMb - before.residentMb <= 60,
        },
      ],
      notes: [
        `Each run streams 200 tokens in a thread of its own, ${clients} at a time.`,
        `With default settings streams are kept for ${defaultRetentionMs / 1_000} s and no collection is forced, so the figures hold what the engine has not collected yet.`,
        `The collected figures are of a gateway that keeps streams for ${shortRetentionMs / 1_000} s: they are taken after that and after a forced collection.`,
      ],
    };
  },
);

async function withDefaults(): Promise<{ idle: Memory; after: Memory; later: Memory; tookMs: number }> {
  const bench = await startGateway();
  await sleep(quietMs);
  const idle = await memoryOf(bench);
  const startedMs = performance.now();
  await runs(bench, all);
  const tookMs = performance.now() - startedMs;
  const after = await memoryOf(bench);
  await sleep(defaultRetentionMs + settleMs);
  const later = await memoryOf(bench);
  await bench.close();
  return { idle, after, later, tookMs };
}

async function withShortRetention(): Promise<{ idle: Memory; before: Memory; after: Memory }> {
  const bench = await startGateway({
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    SWITCHYARD__CONVERSATION__STREAM_RETENTION: `${shortRetentionMs / 1_000}s`,
  });
  const inspector = await Inspector.open(bench.gateway.output());
  const idle = await inspector.memoryAfterCollection();
  await runs(bench, first);
  const before = await afterRetention(inspector);
  await runs(bench, all - first);
  const after = await afterRetention(inspector);
  inspector.close();
  await bench.close();
  return { idle, before, after };
}

function figuresOf(moment: string, { heapMb, residentMb: resident }: Memory): Figure[] {
  return [
    { name: `heap, ${moment}`, value: heapMb, unit: 'MB' },
    { name: `resident, ${moment}`, value: resident, unit: 'MB' },
  ];
}

/** What the gateway and the system say, without a collection. */
async function memoryOf({ gateway }: BenchGateway): Promise<Memory> {
  const text = await (await fetch(new URL('/metrics', gateway.url))).text();
  const [, heapBytes] = /^nodejs_heap_size_used_bytes (.+)$/m.exec(text) ?? [];
  if (heapBytes === undefined) throw new Error('/metrics does not tell the size of the heap.');
  return { heapMb: Number(heapBytes) / 1e6, residentMb: residentMb(gateway.pid) };
}

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

async function afterRetention(inspector: Inspector): Promise<Memory> {
  await sleep(shortRetentionMs + settleMs);
  return inspector.memoryAfterCollection();
}
