import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { type CollectedMemory, Inspector } from '../conversation/inspector.ts';
import { tokenOf, tokenOfEvent } from '../conversation/token-frames.ts';
import { type Bar, type Figure, isRehearsal, measure } from '../measure.ts';

const streams = isRehearsal ? 60 : 300;
const warmUps = isRehearsal ? 20 : 100;
/** As many begin at the same time; all of them stay open. */
const lanes = 16;
const tokens = 200;
const retentionMs = 2_000;
/** Time for the retention's timers, and for memory that the system takes back late. */
const settleMs = 3_000;
const maxMbPerRun = 0.5;
const streamMode = ['messages-tuple', 'values'];

type Protocol = 'first' | 'second';
const names = { first: 'version 1', second: 'protocol v2' } as const;

interface Held {
  protocol: Protocol;
  before: CollectedMemory;
  after: CollectedMemory;
  framesMb: number;
}

await measure(
  'event-streams',
  `${streams} event streams over ${streams} threads with live runs`,
  async () => {
    const all = [await hold('second'), await hold('first')];
    return {
      figures: all.flatMap(figuresOf),
      bars: all.map(barOf),
      notes: [
        `Each stream follows a run in a thread of its own that has sent ${tokens} tokens and works on; \`conversation.max_runs\` is ${streams}. A gateway of its own for each protocol, which has had ${warmUps} runs before.`,
        'Memory is taken after a forced collection. The frames of a run are what its reader has received, and are taken off. Events of protocol v2 are shorter than the frames that they are made of, so a part of the frames stays in its figure.',
      ],
    };
  },
);

async function hold(protocol: Protocol): Promise<Held> {
  const bench = await startGateway({
    NODE_OPTIONS: '--inspect=127.0.0.1:0',
    SWITCHYARD__CONVERSATION__MAX_RUNS: String(streams),
    SWITCHYARD__CONVERSATION__STREAM_RETENTION: `${retentionMs / 1_000}s`,
  });
  const inspector = await Inspector.open(bench.gateway.output());
  await inLanes(warmUps, async () => {
    const threadId = await bench.client.createThread();
    await listen(bench, { protocol, threadId, graph: 'fast', onFrame: () => undefined });
  });
  await sleep(retentionMs + settleMs);
  const before = await inspector.memoryAfterCollection();
  let bytes = 0;
  await inLanes(streams, async () => {
    const size = await openHeld(bench, protocol);
    bytes += size;
  });
  await sleep(settleMs);
  const after = await inspector.memoryAfterCollection();
  inspector.close();
  // It would wait for the runs to end.
  await bench.gateway.kill9();
  await bench.close();
  return { protocol, before, after, framesMb: bytes / 1e6 };
}

/** Resolves with the bytes of the frames once all tokens have come. The stream stays open until the gateway ends. */
async function openHeld(bench: BenchGateway, protocol: Protocol): Promise<number> {
  const threadId = await bench.client.createThread();
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let came = 0;
    let isComplete = false;
    const onFrame = (size: number, token: string | undefined): void => {
      bytes += size;
      if (token === undefined || ++came < tokens) return;
      isComplete = true;
      resolve(bytes);
    };
    listen(bench, { protocol, threadId, graph: 'held', onFrame }).then(
      () => reject(new Error('A stream ended while its run worked.')),
      (error: unknown) => {
        if (!isComplete) reject(error);
      },
    );
  });
}

async function listen(
  { client }: BenchGateway,
  {
    protocol,
    threadId,
    graph,
    onFrame,
  }: {
    protocol: Protocol;
    threadId: string;
    graph: string;
    onFrame: (size: number, token: string | undefined) => void;
  },
): Promise<void> {
  if (protocol === 'first')
    await client.stream({ threadId, graph, streamMode }, (frame) =>
      onFrame(frame.event.length + frame.data.length, tokenOf(frame)),
    );
  else
    await client.follow({ threadId, graph }, (frame) =>
      onFrame(frame.event.length + frame.data.length, tokenOfEvent(frame)),
    );
}

async function inLanes(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** What a run holds beside its frames, of the whole process and of the objects of the engine. */
function perRun({ before, after, framesMb }: Held): { residentMb: number; liveMb: number } {
  const live = (memory: CollectedMemory): number => memory.heapMb + memory.externalMb;
  return {
    residentMb: (after.residentMb - before.residentMb - framesMb) / streams,
    liveMb: (live(after) - live(before) - framesMb) / streams,
  };
}

function figuresOf(held: Held): Figure[] {
  const { residentMb, liveMb } = perRun(held);
  const name = names[held.protocol];
  return [
    { name: `${name}, resident before the runs`, value: held.before.residentMb, unit: 'MB' },
    { name: `${name}, resident with ${streams} streams`, value: held.after.residentMb, unit: 'MB' },
    { name: `${name}, frames of a run`, value: held.framesMb / streams, unit: 'MB' },
    { name: `${name}, a live run beside its frames, resident`, value: residentMb, unit: 'MB' },
    { name: `${name}, a live run beside its frames, heap and buffers`, value: liveMb, unit: 'MB' },
  ];
}

function barOf(held: Held): Bar {
  return {
    promise: `${names[held.protocol]}: ≤ ${maxMbPerRun} MB resident a live run beside its frames`,
    isMet: perRun(held).residentMb <= maxMbPerRun,
  };
}
