import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { heapMb, openVisitor, scrollFrames, type Visitor } from '../console/visitor.ts';
import { startGateway } from '../conversation/agent-servers.ts';
import { isRehearsal, measure } from '../measure.ts';

const results = isRehearsal ? 60 : 600;
const side = 10;
const wheels = isRehearsal ? 20 : 200;

const workflow = {
  '1': { class_type: 'EmptyImage', inputs: { width: 32, height: 32, batch_size: 1, color: 0 } },
  '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'bench' } },
};

const titles = {
  empty: 'no result',
  filled: 'a grid of 100 pictures',
  filling: 'a grid of 100 cells that wait',
  strip: `a strip of ${results} results`,
};

await measure('console-studio', 'A grid of 100 cells and a strip of 600 results in Chromium', async () => {
  const bench = await startGateway();
  const { session, gateway } = bench;
  const workflowId = (await session.post<Made>('/api/workflows', { name: 'Bench', workflow })).data.id;
  const sitting = `bench-${Date.now().toString(36)}-measured`;
  await makeResults(session, { workflowId, sitting });
  const grid = await makeSweep(session, workflowId);
  await untilDone(session);
  await session.post('/api/queue/pause', { scope: 'user' });
  const waiting = await makeSweep(session, workflowId);
  const visitor = await openVisitor(gateway.url, session);
  const page = `/workflows/${workflowId}`;
  const empty = await look(visitor, `${page}?sitting=bench-none`, '#bench-result');
  const filled = await look(visitor, `${page}?sweep=${grid}`, '[data-cell]');
  const filling = await look(visitor, `${page}?sweep=${waiting}`, '[data-cell]');
  const strip = await look(visitor, `${page}?sitting=${sitting}`, '[aria-posinset]');
  await visitor.close();
  await bench.close();
  const looks = { empty, filled, filling, strip };
  const nodes = Math.max(...Object.values(looks).map((each) => each.nodes));
  const heap = Math.max(...Object.values(looks).map((each) => each.heap));
  const longer = Math.max(filled.longTasks, filling.longTasks, strip.longTasks);
  return {
    figures: Object.entries(looks).flatMap(([name, each]) => [
      { name: `${titles[name as keyof typeof looks]}: elements of the page`, value: each.nodes, unit: '' },
      { name: 'tasks of the page beyond 50 ms while it scrolls', value: each.longTasks, unit: '' },
      { name: 'frame time p95 while it scrolls', value: each.frameMs, unit: 'ms' },
      { name: 'heap', value: each.heap, unit: 'MB' },
    ]),
    bars: [
      { promise: 'each page has at most 400 elements', isMet: nodes <= 400 },
      { promise: 'no long task that an empty page lacks', isMet: longer <= empty.longTasks },
      { promise: 'heap ≤ 150 MB', isMet: heap <= 150 },
    ],
    notes: [
      'The whole page of a workflow at 1,280 × 800: the rail, the bar, the form, the results, and what stands in the head of the document.',
    ],
  };
});

interface Made {
  data: { id: string };
}

interface Look {
  nodes: number;
  longTasks: number;
  frameMs: number;
  heap: number;
}

/** Opens a page, scrolls what it shows, and counts. */
async function look(visitor: Visitor, address: string, where: string): Promise<Look> {
  const { page } = visitor;
  await page.goto(address);
  await page.locator(where).first().waitFor();
  await page.waitForTimeout(2_000);
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  await page.evaluate(() => {
    const kept = globalThis as unknown as { longTasks: number };
    kept.longTasks = 0;
    new PerformanceObserver((list) => {
      kept.longTasks += list.getEntries().length;
    }).observe({ type: 'longtask' });
  });
  const frameMs = await scrollFrames(visitor, where, wheels);
  const longTasks = await page.evaluate(() => (globalThis as unknown as { longTasks: number }).longTasks);
  return { nodes, longTasks, frameMs, heap: await heapMb(visitor) };
}

async function makeResults(
  session: HttpSession,
  { workflowId, sitting }: { workflowId: string; sitting: string },
): Promise<void> {
  let left = results;
  const lane = async (): Promise<void> => {
    while (left-- > 0)
      await session.post(`/api/workflows/${workflowId}/run`, { params: {}, tags: [sitting] });
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

async function makeSweep(session: HttpSession, workflowId: string): Promise<string> {
  const range = { from: 1, to: side, step: 1 };
  const axes = [
    { param: 'width', range },
    { param: 'color', range },
  ];
  return (await session.post<Made>('/api/sweeps', { workflowId, axes })).data.id;
}

async function untilDone(session: HttpSession): Promise<void> {
  const open = async (status: string) =>
    (await session.get<{ data: { total: number } }>(`/api/tasks?limit=1&status=${status}`)).data.total;
  const done = results + side * side;
  while ((await open('completed')) + (await open('failed')) < done) await sleep(500);
}
