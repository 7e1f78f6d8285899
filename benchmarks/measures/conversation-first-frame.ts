import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import {
  type AgentServer,
  startBareHttp,
  startGateway,
  startMemoryServer,
} from '../conversation/agent-servers.ts';
import { bareGraph } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { fsyncMsP50 } from '../disk.ts';
import { type Figure, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const crowds = [1, 64] as const;
const rounds = 3;
const roundSeconds = 3;
/** The steps between the request and the output of a node: the run. */
const commitsBefore = 1;

interface Sample {
  metadataMs: number;
  graphMs: number;
}

await measure(
  'conversation-first-frame',
  'First frames of a run of a one-node graph, from the request on',
  async () => {
    const folder = temporaryFolder();
    const fsyncMs = fsyncMsP50(folder.path);
    folder.remove();
    const gateway = await startGateway();
    const memoryServer = await startMemoryServer();
    const bareHttp = await startBareHttp();

    const results = [];
    for (const clients of crowds) {
      const [ours, theirs, requests, bare]: [Sample[], Sample[], number[], number[]] = [[], [], [], []];
      for (let round = 0; round <= rounds; round += 1) {
        const loop = { clients, seconds: round === 0 ? 1 : roundSeconds };
        const taken = {
          ours: await firstFrames(gateway, loop),
          theirs: await firstFrames(memoryServer, loop),
          requests: (await closedLoop(loop, () => bareHttp.client.post('/', {}))).tookMs,
          bare: (await bareGraph({ graph: 'echo', streamMode: ['updates'], ...loop })).firstMsP50,
        };
        if (round === 0) continue; // warms up
        ours.push(...taken.ours);
        theirs.push(...taken.theirs);
        requests.push(...taken.requests);
        bare.push(taken.bare);
      }
      results.push({ clients, ours, theirs, requestMs: median(requests), bareMs: median(bare) });
    }
    await Promise.all([gateway, memoryServer, bareHttp].map((server) => server.close()));

    const [one, many] = results.map(({ ours, theirs, requestMs, bareMs, clients }) => ({
      clients,
      metadataMs: median(ours.map((sample) => sample.metadataMs)),
      graphMs: median(ours.map((sample) => sample.graphMs)),
      theirMetadataMs: median(theirs.map((sample) => sample.metadataMs)),
      theirGraphMs: median(theirs.map((sample) => sample.graphMs)),
      requestMs,
      bareMs,
    }));
    if (!one || !many) throw new Error('A crowd was not measured.');
    const ideal = one.requestMs + one.bareMs + commitsBefore * fsyncMs;
    return {
      figures: [
        ...[one, many].flatMap(({ clients, ...p50 }): Figure[] => [
          { name: `gateway, first frame of the graph, ${clients} at once`, value: p50.graphMs, unit: 'ms' },
          { name: `gateway, metadata frame, ${clients} at once`, value: p50.metadataMs, unit: 'ms' },
          {
            name: `memory server, first frame of the graph, ${clients} at once`,
            value: p50.theirGraphMs,
            unit: 'ms',
          },
          {
            name: `memory server, metadata frame, ${clients} at once`,
            value: p50.theirMetadataMs,
            unit: 'ms',
          },
          { name: `bare graph, first part of its stream, ${clients} at once`, value: p50.bareMs, unit: 'ms' },
          { name: `a request over loopback, ${clients} at once`, value: p50.requestMs, unit: 'ms' },
        ]),
        {
          name: 'first frame of the graph to the bare graph, 64 at once',
          value: many.graphMs / many.bareMs,
          unit: '×',
        },
        { name: 'fsync of the disk (p50)', value: fsyncMs, unit: 'ms' },
      ],
      bars: [
        {
          promise: 'first frame of the graph p50 ≤ 10 ms at one client, or 1.5 × graph, request and syncs',
          isMet: one.graphMs <= Math.max(10, 1.5 * ideal),
        },
        { promise: 'metadata frame p50 ≤ 80 ms at 64 clients', isMet: many.metadataMs <= 80 },
      ],
      notes: [
        'All figures are medians. Streamed are `updates`, so that the first frame of the graph is what its node has made; the next run begins when the stream of the last one has ended.',
      ],
    };
  },
);

/** The threads exist before the clock starts, so only the streaming request is measured. */
async function firstFrames(
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
