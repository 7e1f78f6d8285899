import { type AgentServer, startGateway, startMemoryServer } from '../conversation/agent-servers.ts';
import { startBareGraph } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { tokenOf } from '../conversation/token-frames.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { median } from '../statistics.ts';

const crowds = [1, 16, 64] as const;
const rounds = isRehearsal ? 1 : 3;
const roundSeconds = isRehearsal ? 1 : 4;
/** Equal for every side. */
const warmUpSeconds = isRehearsal ? 1 : 5;
const tokens = 200;
const paceMs = 10;
const idealMs = tokens * paceMs;
const listeners = 64;
const streamMode = ['messages-tuple', 'values'];
/** The same with LangGraph's own client names. */
const bareMode = ['messages', 'values'];

interface Delivery {
  perSecond: number;
  /** The number of missing tokens in all streams. */
  missing: number;
}

await measure('conversation-tokens', 'Tokens of streaming models, as clients receive them', async () => {
  const gateway = await startGateway();
  const memoryServer = await startMemoryServer();
  const bareGraph = await startBareGraph();
  const samples: { clients: number; ours: Delivery; theirs: Delivery; bare: number }[] = [];
  for (const clients of crowds) {
    for (let round = 0; round <= rounds; round += 1) {
      const loop = { clients, seconds: round === 0 ? warmUpSeconds : roundSeconds };
      const sample = {
        clients,
        ours: await delivery(gateway, loop),
        theirs: await delivery(memoryServer, loop),
        bare: (await bareGraph.loop({ graph: 'fast', streamMode: bareMode, ...loop })).tokensPerSecond,
      };
      if (round > 0) samples.push(sample); // the first warms up
    }
  }
  const ours = await pacedStreams(gateway);
  const theirs = await pacedStreams(memoryServer);
  const paced = { graph: 'paced', streamMode: bareMode } as const;
  await bareGraph.loop({ ...paced, clients: 1, seconds: 1 }); // warms up, as the servers do
  const bare = await bareGraph.loop({ ...paced, clients: listeners, seconds: 1 });
  bareGraph.stop();
  await Promise.all([gateway, memoryServer].map((server) => server.close()));

  const at = (clients: number, rate: (sample: (typeof samples)[number]) => number) =>
    median(samples.filter((sample) => sample.clients === clients).map(rate));
  const share = (at(16, (sample) => sample.ours.perSecond) / at(16, (sample) => sample.bare)) * 100;
  const missing = samples.reduce((sum, sample) => sum + sample.ours.missing, 0);
  const theirMissing = samples.reduce((sum, sample) => sum + sample.theirs.missing, 0);
  return {
    figures: [
      ...crowds.flatMap((clients): Figure[] => [
        {
          name: `gateway, ${clients} clients`,
          value: at(clients, (sample) => sample.ours.perSecond),
          unit: '/s',
        },
        {
          name: `memory server, ${clients} clients`,
          value: at(clients, (sample) => sample.theirs.perSecond),
          unit: '/s',
        },
        { name: `bare graph, ${clients} at once`, value: at(clients, (sample) => sample.bare), unit: '/s' },
      ]),
      { name: 'gateway at 16 of the bare graph', value: share, unit: '%' },
      { name: 'tokens that the gateway did not deliver', value: missing, unit: '' },
      { name: 'tokens that the memory server did not deliver', value: theirMissing, unit: '' },
      { name: `gateway, paced, ${listeners} at once, the slowest stream`, value: ours.maxMs, unit: 'ms' },
      { name: `gateway, paced, ${listeners} at once, p50`, value: ours.p50Ms, unit: 'ms' },
      {
        name: `memory server, paced, ${listeners} at once, the slowest stream`,
        value: theirs.maxMs,
        unit: 'ms',
      },
      { name: `bare graph, paced, ${listeners} at once, the slowest`, value: bare.wholeMsMax, unit: 'ms' },
      { name: `ideal of ${tokens} tokens, one each ${paceMs} ms`, value: idealMs, unit: 'ms' },
    ],
    bars: [
      { promise: '≥ 45 % of the bare graph at 16 clients', isMet: share >= 45 },
      { promise: 'every token is delivered, in order', isMet: missing === 0 && ours.missing === 0 },
      {
        promise: `${tokens} tokens at ${paceMs} ms, ${listeners} clients: each whole stream within 1.25 × the ideal`,
        isMet: ours.maxMs <= 1.25 * idealMs,
      },
    ],
    notes: [
      `Medians of ${rounds} rounds of ${roundSeconds} s; ${tokens} tokens a run, streamed as \`messages-tuple\` beside \`values\`, a new thread for each run. Every side has run for ${warmUpSeconds} s before.`,
      'The bare graph has no checkpointer.',
    ],
  };
});

async function delivery(server: AgentServer, loop: { clients: number; seconds: number }): Promise<Delivery> {
  let delivered = 0;
  let missing = 0;
  const started = performance.now();
  await closedLoop(loop, async () => {
    const { came } = await listen(server, 'fast');
    delivered += came;
    missing += tokens - came;
  });
  return { perSecond: (delivered / (performance.now() - started)) * 1_000, missing };
}

async function pacedStreams(server: AgentServer): Promise<{ p50Ms: number; maxMs: number; missing: number }> {
  await listen(server, 'paced'); // warms up
  const all = await Promise.all(Array.from({ length: listeners }, () => listen(server, 'paced')));
  const tookMs = all.map((stream) => stream.tookMs);
  const missing = all.reduce((sum, { came }) => sum + tokens - came, 0);
  return { p50Ms: median(tookMs), maxMs: Math.max(...tookMs), missing };
}

/** Returns the number of tokens, none of which may be early, late or doubled, and the time of the stream. */
async function listen(
  { client }: AgentServer,
  graph: 'fast' | 'paced',
): Promise<{ came: number; tookMs: number }> {
  const threadId = await client.createThread();
  let came = 0;
  let last = -1;
  const started = performance.now();
  await client.stream({ threadId, graph, streamMode }, (frame) => {
    const token = tokenOf(frame);
    if (token === undefined) return;
    const index = Number(token.slice(1));
    if (index <= last) throw new Error(`Token ${index} came behind token ${last}.`);
    last = index;
    came += 1;
  });
  return { came, tookMs: performance.now() - started };
}
