/**
 * Reads requests, one a line. For each it runs a graph again and again, with as many parallel calls as the server has
 * clients, and prints the result as one line.
 */
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { MemorySaver } from '@langchain/langgraph';
import type { BareLoop, BareRequest } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { isToken } from '../conversation/token-frames.ts';
import { mainThreadMs } from '../process-usage.ts';
import { median, percentile } from '../statistics.ts';

const graphs = {
  echo: async () => (await import('../graphs/echo.ts')).graph,
  fast: async () => (await import('../graphs/tokens.ts')).fast,
  paced: async () => (await import('../graphs/tokens.ts')).paced,
  answering: async () => (await import('../graphs/answering.ts')).graph,
};

console.log('ready');
for await (const line of createInterface(process.stdin))
  console.log(JSON.stringify(await answer(JSON.parse(line) as BareRequest)));

async function answer(request: BareRequest): Promise<BareLoop> {
  const graph = (await graphs[request.graph]()).withConfig({});
  if (request.hasSaver) graph.checkpointer = new MemorySaver();
  const runs: Run[] = [];
  const usedMs = mainThreadMs(process.pid);
  const started = performance.now();
  const { perSecond, tookMs } = await closedLoop(request, async () => {
    runs.push(await runOnce(graph, request));
  });
  const tokens = runs.reduce((sum, run) => sum + run.tokens, 0);
  return {
    perSecond,
    runs: runs.length,
    firstMsP50: median(runs.map((run) => run.firstMs)),
    firstTokenMsP50: median(runs.map((run) => run.firstTokenMs)),
    firstTokenMsP95: percentile(
      runs.map((run) => run.firstTokenMs),
      95,
    ),
    wholeMsP50: median(tookMs),
    wholeMsMax: Math.max(...tookMs),
    tokensPerSecond: (tokens / (performance.now() - started)) * 1_000,
    mainThreadMs: (mainThreadMs(process.pid) - usedMs) / runs.length,
  };
}

interface Run {
  firstMs: number;
  firstTokenMs: number;
  tokens: number;
}

async function runOnce(
  graph: Awaited<ReturnType<(typeof graphs)[keyof typeof graphs]>>,
  request: BareRequest,
): Promise<Run> {
  const begun = performance.now();
  const input = { messages: [{ role: 'user', content: 'hello' }] };
  const config = { configurable: { thread_id: randomUUID() } };
  const run: Run = { firstMs: 0, firstTokenMs: 0, tokens: 0 };
  if (!request.streamMode) await graph.invoke(input, config);
  else {
    const streamMode = request.streamMode as ('updates' | 'messages' | 'values')[];
    for await (const [mode, part] of await graph.stream(input, { ...config, streamMode })) {
      run.firstMs ||= performance.now() - begun;
      if (mode !== 'messages' || !isToken(part[0].content)) continue;
      run.firstTokenMs ||= performance.now() - begun;
      run.tokens += 1;
    }
  }
  return run;
}
