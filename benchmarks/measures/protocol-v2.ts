import { type AgentServer, type BenchGateway, startGateway } from '../conversation/agent-servers.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { tokenOf, tokenOfEvent } from '../conversation/token-frames.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';
import { cpuTimeUs } from '../process-usage.ts';
import { median } from '../statistics.ts';

const crowds = [1, 16] as const;
const rounds = isRehearsal ? 1 : 5;
const roundSeconds = isRehearsal ? 1 : 4;
const tokens = 200;
/** What a page over version 1 asks for, and what a run that protocol v2 starts makes. */
const modesOf = {
  first: ['messages-tuple', 'values'],
  whole: ['values', 'updates', 'messages-tuple', 'tools', 'custom', 'tasks'],
};
/** A run of the graph that waits between its tokens takes two seconds. */
const runsWithPauses = isRehearsal ? 1 : 10;
const maxFirstMs = 10;

type Side = keyof typeof modesOf | 'second';

interface Delivery {
  perSecond: number;
  /** The processor time of the whole gateway for a token, with its share of the run. */
  cpuUs: number;
  /** The number of missing tokens in all streams. */
  missing: number;
  firstMs: number;
}

await measure('protocol-v2', 'Tokens over protocol v2, beside version 1', async () => {
  const gateway = await startGateway();
  const samples: ({ clients: number } & Record<Side, Delivery>)[] = [];
  for (const clients of crowds)
    for (let round = 0; round <= rounds; round += 1) {
      const loop = { clients, seconds: roundSeconds };
      const sample = {
        clients,
        first: await delivery(gateway, 'first', loop),
        whole: await delivery(gateway, 'whole', loop),
        second: await delivery(gateway, 'second', loop),
      };
      if (round > 0) samples.push(sample); // the first warms up
    }
  const withPauses: number[] = [];
  for (let run = 0; run < runsWithPauses; run += 1)
    await listen(gateway, { side: 'second', graph: 'paced', firstMs: withPauses });
  await gateway.close();

  const at = (clients: number, value: (sample: (typeof samples)[number]) => number) =>
    median(samples.filter((sample) => sample.clients === clients).map(value));
  const shareAt = (clients: number) =>
    at(clients, ({ first, second }) => (second.perSecond / first.perSecond) * 100);
  const shareOfWholeAt = (clients: number) =>
    at(clients, ({ whole, second }) => (second.perSecond / whole.perSecond) * 100);
  const missing = samples.reduce((sum, { second }) => sum + second.missing, 0);
  const firstMs = median(withPauses);
  return {
    figures: [
      ...crowds.flatMap((clients): Figure[] => [
        {
          name: `protocol v2, ${clients} clients`,
          value: at(clients, ({ second }) => second.perSecond),
          unit: '/s',
        },
        {
          name: `version 1, ${clients} clients`,
          value: at(clients, ({ first }) => first.perSecond),
          unit: '/s',
        },
        { name: `protocol v2 of version 1, ${clients} clients`, value: shareAt(clients), unit: '%' },
        {
          name: `protocol v2 of version 1 with the same modes, ${clients} clients`,
          value: shareOfWholeAt(clients),
          unit: '%',
        },
        {
          name: `protocol v2, processor time of a token, ${clients} clients`,
          value: at(clients, ({ second }) => second.cpuUs),
          unit: 'µs',
        },
        {
          name: `version 1, the same, ${clients} clients`,
          value: at(clients, ({ first }) => first.cpuUs),
          unit: 'µs',
        },
        {
          name: `version 1 of protocol v2, processor time, ${clients} clients`,
          value: at(clients, ({ first, second }) => (first.cpuUs / second.cpuUs) * 100),
          unit: '%',
        },
      ]),
      { name: 'tokens that did not come over protocol v2', value: missing, unit: '' },
      { name: 'from the command to the first event, one client, p50', value: firstMs, unit: 'ms' },
      {
        name: 'the same, when the graph never pauses',
        value: at(1, ({ second }) => second.firstMs),
        unit: 'ms',
      },
    ],
    bars: [
      ...crowds.map((clients) => ({
        promise: `≥ 80 % of version 1 at ${clients} clients`,
        isMet: shareAt(clients) >= 80,
      })),
      { promise: 'every token is delivered, in order', isMet: missing === 0 },
      { promise: `first event ≤ ${maxFirstMs} ms after the command`, isMet: firstMs <= maxFirstMs },
    ],
    notes: [
      `Medians of ${rounds} rounds of ${roundSeconds} s, by turns; ${tokens} tokens a run, a new thread for each run. A run of protocol v2 also makes frames of updates, tools, tasks and checkpoints; version 1 is shown with the modes that its pages ask for, and with those of such a run.`,
      'Processor time is that of the whole gateway process, runs and their requests included. It depends less than a rate on who else uses the machine.',
      `The first event is that of a graph that sends a token every 10 ms, as a model does (${runsWithPauses} runs). A reader connects once its command is answered. A graph that never pauses has the main thread by then, and the reader waits until it is done.`,
    ],
  };
});

async function delivery(
  server: BenchGateway,
  side: Side,
  loop: { clients: number; seconds: number },
): Promise<Delivery> {
  let delivered = 0;
  let missing = 0;
  const firstMs: number[] = [];
  const { pid } = server.gateway;
  const usedUs = cpuTimeUs(pid);
  const started = performance.now();
  await closedLoop(loop, async () => {
    const came = await listen(server, { side, graph: 'fast', firstMs });
    delivered += came;
    missing += tokens - came;
  });
  return {
    perSecond: (delivered / (performance.now() - started)) * 1_000,
    cpuUs: (cpuTimeUs(pid) - usedUs) / delivered,
    missing,
    firstMs: median(firstMs),
  };
}

/** Returns the number of tokens, none of which may be early, late or doubled. */
async function listen(
  { client }: AgentServer,
  { side, graph, firstMs }: { side: Side; graph: 'fast' | 'paced'; firstMs: number[] },
): Promise<number> {
  const threadId = await client.createThread();
  let came = 0;
  let last = -1;
  const asked = performance.now();
  let isFirst = true;
  const hear = (token: string | undefined): void => {
    if (isFirst) firstMs.push(performance.now() - asked);
    isFirst = false;
    if (token === undefined) return;
    const index = Number(token.slice(1));
    if (index <= last) throw new Error(`Token ${index} came behind token ${last}.`);
    last = index;
    came += 1;
  };
  if (side === 'second') await client.follow({ threadId, graph }, (frame) => hear(tokenOfEvent(frame)));
  else await client.stream({ threadId, graph, streamMode: modesOf[side] }, (frame) => hear(tokenOf(frame)));
  return came;
}
