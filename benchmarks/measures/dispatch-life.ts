import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import { fsyncMsP50 } from '../disk.ts';
import {
  type BareSide,
  type PoolOptions,
  type ServerSide,
  startBareSide,
  startBullmqSide,
  startGatewaySide,
} from '../dispatch-life/sides.ts';
import type { LifeRound } from '../dispatch-life/task-server.ts';
import { type Bar, type Figure, isRehearsal, measure } from '../measure.ts';
import { median } from '../statistics.ts';

interface Case extends PoolOptions {
  nodes: number;
  tasks: number;
}

interface CaseResult {
  gateway: LifeRound;
  bullmq: LifeRound;
  loop: { perSecond: number; mainMs: number };
  readingLoop: { perSecond: number; mainMs: number };
}

const picture = 20_000;
const largePicture = 1_500_000;
const cases = {
  plain8: { workers: 8, nodes: 20, outputBytes: 0, tasks: 600 },
  plain32: { workers: 32, nodes: 20, outputBytes: 0, tasks: 600 },
  picture8: { workers: 8, nodes: 20, outputBytes: picture, tasks: 600 },
  picture32: { workers: 32, nodes: 20, outputBytes: picture, tasks: 600 },
  few8: { workers: 8, nodes: 5, outputBytes: picture, tasks: 600 },
  many8: { workers: 8, nodes: 60, outputBytes: picture, tasks: 300 },
  picture2: { workers: 2, nodes: 20, outputBytes: picture, tasks: 400 },
  large2: { workers: 2, nodes: 20, outputBytes: largePicture, tasks: 200 },
  short2: { workers: 2, nodes: 20, outputBytes: picture, runMs: 50, tasks: 200 },
} satisfies Record<string, Case>;
const rounds = isRehearsal ? 1 : 3;

const behindTheLoop =
  'These tasks take no time, so the rate is that of the processors: the loop keeps nothing, and the gateway stores task, nodes, picture and words durably.';

await measure('dispatch-life', 'Tasks on workers that send what a genuine one sends', async () => {
  const folder = temporaryFolder();
  const fsyncMs = fsyncMsP50(folder.path);
  folder.remove();
  const results = {} as Record<keyof typeof cases, CaseResult>;
  for (const [key, each] of Object.entries(cases) as [keyof typeof cases, Case][])
    results[key] = await takeCase(each);
  const { plain8, plain32, picture8, picture32, picture2, short2 } = results;
  return {
    figures: [
      ...Object.entries(results).flatMap(([key, result]) =>
        figuresOf(titleOf(cases[key as keyof typeof cases]), result),
      ),
      { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
    ],
    bars: [
      notBehind('8 workers, without outputs', plain8),
      notBehind('32 workers, without outputs', plain32),
      notBehind('8 workers, 20 kB', picture8),
      notBehind('32 workers, 20 kB', picture32),
      {
        promise: 'not falling from 8 to 32 workers',
        isMet:
          plain32.gateway.perSecond >= 0.95 * plain8.gateway.perSecond &&
          picture32.gateway.perSecond >= 0.95 * picture8.gateway.perSecond,
      },
      {
        promise: '≥ 45 % of the loop that reads no output, 2 workers, one picture of 20 kB',
        isMet: picture2.gateway.perSecond >= 0.45 * picture2.loop.perSecond,
        reason: behindTheLoop,
      },
      {
        promise: '≥ 65 % of the loop that reads history and picture, 2 workers, one picture of 20 kB',
        isMet: picture2.gateway.perSecond >= 0.65 * picture2.readingLoop.perSecond,
        reason: behindTheLoop,
      },
      {
        promise:
          '≥ 90 % of the loop that reads history and picture, 2 workers that need 50 ms, one picture of 20 kB',
        isMet: short2.gateway.perSecond >= 0.9 * short2.readingLoop.perSecond,
      },
    ],
    notes: [
      `Medians of ${rounds} rounds, in each of which the four sides take turns; each has run before. Every side has workers of its own, all of them in one other process, which send status, start, every node, \`progress_state\` with all nodes so far, eight steps of a sampler with previews of 10 kB, and the end. Where no time is named, a task ends at once.`,
      'Four users submit with 16 requests at once, and each of them listens. The time runs until all have heard of the end of all their tasks; from the request to the end it is mostly the time in the queue, which is full from the start.',
      'BullMQ stands on a Redis that syncs each write, behind an HTTP submit with a token check. It reads the history and stores outputs as the gateway does. It has no placement, no progress and no record of nodes. All processor time of a task includes the Redis of BullMQ.',
    ],
  };
});

function notBehind(where: string, { gateway, bullmq }: CaseResult): Bar {
  return {
    promise: `≥ 1.0 × BullMQ that does the same work, ${where}`,
    isMet: gateway.perSecond >= bullmq.perSecond,
    reason:
      'The gateway also places, records each node and tells every window of the progress. All sides share two processors with their workers, so what a task costs decides the rate.',
  };
}

async function takeCase({ nodes, tasks: wanted, ...pool }: Case): Promise<CaseResult> {
  const tasks = isRehearsal ? Math.ceil(wanted / 10) : wanted;
  const sides: [ServerSide, ServerSide, BareSide] = [
    await startGatewaySide(pool),
    await startBullmqSide(pool),
    await startBareSide(pool),
  ];
  try {
    const takes: CaseResult[] = [];
    await takeTurn(sides, { nodes, tasks }); // the engine compiles what it will run
    for (let round = 0; round < rounds; round += 1) takes.push(await takeTurn(sides, { nodes, tasks }));
    return {
      gateway: medianOf(takes.map(({ gateway }) => gateway)),
      bullmq: medianOf(takes.map(({ bullmq }) => bullmq)),
      loop: medianOf(takes.map(({ loop }) => loop)),
      readingLoop: medianOf(takes.map(({ readingLoop }) => readingLoop)),
    };
  } finally {
    for (const side of sides) await side.close();
  }
}

async function takeTurn(
  [gateway, bullmq, bare]: [ServerSide, ServerSide, BareSide],
  round: { nodes: number; tasks: number },
): Promise<CaseResult> {
  return {
    gateway: await gateway.server.round(round),
    bullmq: await bullmq.server.round(round),
    loop: await bare.run({ ...round, readsOutputs: false }),
    readingLoop: await bare.run({ ...round, readsOutputs: true }),
  };
}

function medianOf<Numbers extends { [Name in keyof Numbers]: number }>(takes: readonly Numbers[]): Numbers {
  const names = Object.keys(takes[0] ?? {}) as (keyof Numbers)[];
  return Object.fromEntries(names.map((name) => [name, median(takes.map((take) => take[name]))])) as Numbers;
}

function titleOf({ workers, nodes, outputBytes, runMs }: Case): string {
  const output = outputBytes === 0 ? 'no output' : outputBytes === picture ? '20 kB' : '1.5 MB';
  return `${workers} workers, ${nodes} nodes, ${output}${runMs ? `, ${runMs} ms` : ''}`;
}

function figuresOf(title: string, { gateway, bullmq, loop, readingLoop }: CaseResult): Figure[] {
  return [
    { name: `${title}: gateway`, value: gateway.perSecond, unit: '/s' },
    { name: `${title}: BullMQ`, value: bullmq.perSecond, unit: '/s' },
    { name: `${title}: loop that reads outputs`, value: readingLoop.perSecond, unit: '/s' },
    { name: `${title}: loop that reads none`, value: loop.perSecond, unit: '/s' },
    { name: `${title}: main thread of the gateway, a task`, value: gateway.mainMs, unit: 'ms' },
    { name: `${title}: main thread of BullMQ, a task`, value: bullmq.mainMs, unit: 'ms' },
    { name: `${title}: main thread of the reading loop, a task`, value: readingLoop.mainMs, unit: 'ms' },
    { name: `${title}: all processor time of the gateway, a task`, value: gateway.processorMs, unit: 'ms' },
    { name: `${title}: all processor time of BullMQ, a task`, value: bullmq.processorMs, unit: 'ms' },
    { name: `${title}: gateway, request to end, p50`, value: gateway.endMsP50, unit: 'ms' },
    { name: `${title}: gateway, request to end, p99`, value: gateway.endMsP99, unit: 'ms' },
    { name: `${title}: BullMQ, request to end, p50`, value: bullmq.endMsP50, unit: 'ms' },
    { name: `${title}: BullMQ, request to end, p99`, value: bullmq.endMsP99, unit: 'ms' },
  ];
}
