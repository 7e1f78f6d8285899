import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import {
  type AgentServer,
  startBareHttp,
  startGateway,
  startMemoryServer,
} from '../conversation/agent-servers.ts';
import { startBareGraph } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { type AnswerTimes, figuresOf, firstTokens } from '../conversation/first-token.ts';
import { fsyncMsP50 } from '../disk.ts';
import { type Bar, type Figure, isRehearsal, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const crowds = [1, 64] as const;
const rounds = isRehearsal ? 1 : 3;
const roundSeconds = isRehearsal ? 1 : 3;
/** Equal for every side. */
const warmUpSeconds = isRehearsal ? 1 : 5;
/** The steps between the request and the output of a node: the run. */
const commitsBefore = 1;
const maxFirstTokenMoreMs = 60;
const maxWholeShare = 1.15;

interface Sample {
  metadataMs: number;
  graphMs: number;
}

/** Medians, in milliseconds. */
interface FirstFrame {
  clients: number;
  ours: Sample;
  theirs: Sample;
  requestMs: number;
  bareMs: number;
}

await measure(
  'conversation-first-frame',
  'First token and first frames of a run, from the request on',
  async () => {
    const folder = temporaryFolder();
    const fsyncMs = fsyncMsP50(folder.path);
    folder.remove();
    const tokens = await firstTokens({ crowds, rounds, roundSeconds, warmUpSeconds });
    const frames = await firstFrames();
    const [one, many] = frames;
    if (!one || !many) throw new Error('A crowd was not measured.');
    const crowd = tokens.at(-1);
    if (!crowd) throw new Error('No answer of a model was measured.');
    const ideal = one.requestMs + one.bareMs + commitsBefore * fsyncMs;
    return {
      figures: [
        ...figuresOf(tokens),
        ...frames.flatMap(framesOf),
        {
          name: 'first frame of the graph to the bare graph, 64 at once',
          value: many.ours.graphMs / many.bareMs,
          unit: '×',
        },
        { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
      ],
      bars: [
        {
          promise: 'first frame of the graph p50 ≤ 10 ms at one client, or 1.5 × graph, request and syncs',
          isMet: one.ours.graphMs <= Math.max(10, 1.5 * ideal),
        },
        { promise: 'metadata frame p50 ≤ 80 ms at 64 clients', isMet: many.ours.metadataMs <= 80 },
        ...barsOf('version 1', crowd.first, crowd.bare),
        ...barsOf('protocol v2', crowd.second, crowd.bare),
        ...barsOf('protocol v2 with a stream that is only being opened', crowd.opening, crowd.bare),
      ],
      notes: [
        'The model is a provider in a process of its own that speaks the protocol of OpenAI and sends 50 tokens a second, 50 in all, so its first token comes after 20 ms. Gateway and bare graph call it with the same client. A client of protocol v2 follows its thread before it asks for the run, as a page does that shows the thread; the one whose stream is only being opened asks for both in the same moment, as the official client does with the first message of a thread. It needs a new connection for it, and Node accepts one connection in each turn of its loop, which takes some 20 ms while 64 runs begin. The slowest whole answer is compared with the slowest of the bare graph.',
        'The other figures are of a one-node graph without a model. Streamed are `updates`, so that the first frame of the graph is what its node has made.',
        `Figures without another name are medians, of ${rounds} rounds of ${roundSeconds} s; every side has run for ${warmUpSeconds} s before. The next run begins when the stream of the last one has ended.`,
      ],
    };
  },
);

/** The slowest answer of 64 at once is compared with the slowest of the bare graph, both of all rounds. */
function barsOf(protocol: string, ours: AnswerTimes, bare: AnswerTimes): Bar[] {
  return [
    {
      promise: `${protocol}, 64 at once: first token p95 ≤ the bare graph + ${maxFirstTokenMoreMs} ms`,
      isMet: ours.firstP95 <= bare.firstP95 + maxFirstTokenMoreMs,
    },
    {
      promise: `${protocol}, 64 at once: each whole answer ≤ ${maxWholeShare} × the bare graph`,
      isMet: ours.wholeMax <= maxWholeShare * bare.wholeMax,
    },
  ];
}

async function firstFrames(): Promise<FirstFrame[]> {
  const gateway = await startGateway();
  const memoryServer = await startMemoryServer();
  const bareHttp = await startBareHttp();
  const bare = await startBareGraph();
  const results: FirstFrame[] = [];
  for (const clients of crowds) {
    const taken: { ours: Sample[]; theirs: Sample[]; requests: number[]; bare: number[] } = {
      ours: [],
      theirs: [],
      requests: [],
      bare: [],
    };
    for (let round = 0; round <= rounds; round += 1) {
      const loop = { clients, seconds: round === 0 ? warmUpSeconds : roundSeconds };
      const ours = await framesIn(gateway, loop);
      const theirs = await framesIn(memoryServer, loop);
      const { tookMs } = await closedLoop(loop, () => bareHttp.client.post('/', {}));
      const { firstMsP50 } = await bare.loop({ graph: 'echo', streamMode: ['updates'], ...loop });
      if (round === 0) continue; // warms up
      taken.ours.push(...ours);
      taken.theirs.push(...theirs);
      taken.requests.push(...tookMs);
      taken.bare.push(firstMsP50);
    }
    results.push({
      clients,
      ours: mediansOf(taken.ours),
      theirs: mediansOf(taken.theirs),
      requestMs: median(taken.requests),
      bareMs: median(taken.bare),
    });
  }
  bare.stop();
  await Promise.all([gateway, memoryServer, bareHttp].map((server) => server.close()));
  return results;
}

function framesOf({ clients, ours, theirs, requestMs, bareMs }: FirstFrame): Figure[] {
  return [
    { name: `gateway, first frame of the graph, ${clients} at once`, value: ours.graphMs, unit: 'ms' },
    { name: `gateway, metadata frame, ${clients} at once`, value: ours.metadataMs, unit: 'ms' },
    {
      name: `memory server, first frame of the graph, ${clients} at once`,
      value: theirs.graphMs,
      unit: 'ms',
    },
    { name: `memory server, metadata frame, ${clients} at once`, value: theirs.metadataMs, unit: 'ms' },
    { name: `bare graph, first part of its stream, ${clients} at once`, value: bareMs, unit: 'ms' },
    { name: `a request over loopback, ${clients} at once`, value: requestMs, unit: 'ms' },
  ];
}

function mediansOf(samples: readonly Sample[]): Sample {
  return {
    metadataMs: median(samples.map((sample) => sample.metadataMs)),
    graphMs: median(samples.map((sample) => sample.graphMs)),
  };
}

/** The threads exist before the clock starts, so only the streaming request is measured. */
async function framesIn(
  { client }: AgentServer,
  loop: { clients: number; seconds: number },
): Promise<Sample[]> {
  const samples: Sample[] = [];
  await closedLoop(loop, async () => {
    const threadId = await client.createThread();
    const started = performance.now();
    const at = new Map<string, number>();
    await client.stream({ threadId, graph: 'echo', streamMode: ['updates'] }, ({ event }) => {
      if (!at.has(event)) at.set(event, performance.now() - started);
    });
    const [metadataMs, graphMs] = [at.get('metadata'), at.get('updates')];
    if (metadataMs === undefined || graphMs === undefined)
      throw new Error(`A stream held only ${[...at.keys()].join(', ') || 'nothing'}.`);
    samples.push({ metadataMs, graphMs });
  });
  return samples;
}
