/**
 * Runs one graph again and again, with as many parallel calls as the server has clients, and prints the result as one
 * line.
 */
import { randomUUID } from 'node:crypto';
import { MemorySaver } from '@langchain/langgraph';
import type { BareLoop, BareRequest } from '../conversation/bare-graph.ts';
import { closedLoop } from '../conversation/closed-loop.ts';
import { isToken } from '../conversation/token-frames.ts';
import { graph as echo } from '../graphs/echo.ts';
import { fast, paced } from '../graphs/tokens.ts';
import { median } from '../statistics.ts';

const graphs = { echo, fast, paced };
const warmUpSeconds = 1;

const request = JSON.parse(process.argv[2] ?? '') as BareRequest;
const { clients, seconds, hasSaver = false } = request;
const graph = graphs[request.graph].withConfig({});
if (hasSaver) graph.checkpointer = new MemorySaver();
await closedLoop({ clients, seconds: warmUpSeconds }, async () => void (await runOnce()));

const firstMs: number[] = [];
let tokens = 0;
const started = performance.now();
const { perSecond, tookMs } = await closedLoop({ clients, seconds }, async () => {
  const run = await runOnce();
  firstMs.push(run.firstMs);
  tokens += run.tokens;
});
const result: BareLoop = {
  perSecond,
  firstMsP50: median(firstMs),
  wholeMsP50: median(tookMs),
  wholeMsMost: Math.max(...tookMs),
  tokensPerSecond: (tokens / (performance.now() - started)) * 1_000,
};
console.log(JSON.stringify(result));

async function runOnce(): Promise<{ firstMs: number; tokens: number }> {
  const begun = performance.now();
  const input = { messages: [{ role: 'user', content: 'hello' }] };
  const config = { configurable: { thread_id: randomUUID() } };
  let firstMs = 0;
  let tokens = 0;
  if (!request.streamMode) await graph.invoke(input, config);
  else {
    const streamMode = request.streamMode as ('updates' | 'messages' | 'values')[];
    for await (const [mode, part] of await graph.stream(input, { ...config, streamMode })) {
      firstMs ||= performance.now() - begun;
      if (mode === 'messages' && isToken(part[0].content)) tokens += 1;
    }
  }
  return { firstMs, tokens };
}
