import type { Figure } from '../measure.ts';
import { median } from '../statistics.ts';
import { type AgentServer, startGateway } from './agent-servers.ts';
import { startBareGraph } from './bare-graph.ts';
import { closedLoop } from './closed-loop.ts';
import { startPeer } from './peer-process.ts';
import { tokenOf } from './token-frames.ts';

interface FirstTokenOptions {
  crowds: readonly number[];
  rounds: number;
  roundSeconds: number;
  warmUpSeconds: number;
}

interface FirstToken {
  clients: number;
  gatewayMs: number;
  bareMs: number;
}

/**
 * The first token of a model that is asked over HTTP, from the request on. The gateway and the bare graph call the same
 * provider, in turns and warmed up equally long.
 */
export async function firstTokens(options: FirstTokenOptions): Promise<FirstToken[]> {
  const provider = await startPeer('paced-provider.mjs');
  const gateway = await startGateway({}, { provider: provider.says });
  const bare = await startBareGraph({ BENCH_PROVIDER: provider.says });
  const bareMs = async (loop: { clients: number; seconds: number }): Promise<number> =>
    (await bare.loop({ graph: 'answering', streamMode: ['messages'], ...loop })).firstTokenMsP50;
  const results: FirstToken[] = [];
  for (const clients of options.crowds) {
    await tokensOf(gateway, { clients, seconds: options.warmUpSeconds });
    await bareMs({ clients, seconds: options.warmUpSeconds });
    const taken: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    const loop = { clients, seconds: options.roundSeconds };
    for (let round = 0; round < options.rounds; round += 1) {
      taken.ours.push(...(await tokensOf(gateway, loop)));
      taken.bare.push(await bareMs(loop));
    }
    results.push({ clients, gatewayMs: median(taken.ours), bareMs: median(taken.bare) });
  }
  await gateway.close();
  bare.stop();
  provider.stop();
  return results;
}

export function figuresOf(tokens: readonly FirstToken[]): Figure[] {
  return tokens.flatMap(({ clients, gatewayMs, bareMs }): Figure[] => [
    { name: `gateway, first token of a model over HTTP, ${clients} at once`, value: gatewayMs, unit: 'ms' },
    { name: `bare graph, first token of the same model, ${clients} at once`, value: bareMs, unit: 'ms' },
    {
      name: `what the gateway adds to the first token, ${clients} at once`,
      value: gatewayMs - bareMs,
      unit: 'ms',
    },
  ]);
}

/** The threads exist before the clock starts, so only the streaming request is measured. */
async function tokensOf(
  { client }: AgentServer,
  loop: { clients: number; seconds: number },
): Promise<number[]> {
  const tookMs: number[] = [];
  await closedLoop(loop, async () => {
    const threadId = await client.createThread();
    const started = performance.now();
    let firstMs: number | undefined;
    await client.stream({ threadId, graph: 'answering', streamMode: ['messages-tuple'] }, (frame) => {
      if (firstMs === undefined && tokenOf(frame) !== undefined) firstMs = performance.now() - started;
    });
    if (firstMs === undefined) throw new Error('A stream held no token.');
    tookMs.push(firstMs);
  });
  return tookMs;
}
