import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { heapMb, openVisitor, type Visitor } from '../console/visitor.ts';
import { startGateway } from '../conversation/agent-servers.ts';
import { type Figure, isRehearsal, measure } from '../measure.ts';

const pictures = isRehearsal ? 300 : 5_000;
const uploadsAtOnce = 8;
const maxNodes = 400;
const maxHeapMb = 150;
const maxWheels = 3_000;

await measure(
  'console-gallery',
  `The gallery with ${pictures.toLocaleString('en')} pictures in Chromium, scrolled to its end`,
  async () => {
    const bench = await startGateway();
    await uploadPictures(bench.gateway.url, bench.session);
    const first = await visit(bench.gateway.url, bench.session);
    // In a browser that has nothing yet; the gateway has each thumbnail now.
    const second = await visit(bench.gateway.url, bench.session);
    await bench.close();
    const { empty, full } = first;
    const nodes = Math.max(full.nodes, second.full.nodes);
    const heap = Math.max(first.heap, second.heap);
    return {
      figures: [
        { name: 'pictures that were reached', value: full.reached, unit: '' },
        { name: 'most elements of the page at once', value: nodes, unit: '' },
        { name: 'baseline: elements of the page with an empty list', value: empty.nodes, unit: '' },
        ...tasksOf('', full),
        ...tasksOf(' once all thumbnails are made', second.full),
        ...tasksOf(' with an empty list', empty, 'baseline: '),
        { name: 'heap at the end, after a collection', value: heap, unit: 'MB' },
      ],
      bars: [
        { promise: 'the last picture is reached', isMet: full.reached === pictures },
        { promise: `≤ ${maxNodes} elements`, isMet: nodes <= maxNodes },
        {
          promise: 'no long task that an empty list does not have',
          isMet: hasNoLonger(full, empty),
          reason: reasonOf(first, second),
        },
        { promise: `heap ≤ ${maxHeapMb} MB`, isMet: heap <= maxHeapMb },
      ],
      notes: [
        `A long task is one of more than 50 ms, from the opening of the page on, whether it had the processor meanwhile or waited for it. The wheel turns until the last picture is there; the gallery loads ${(100).toLocaleString('en')} files at a time meanwhile.`,
        'Elements are those of the whole page, with its navigation and filters. Gateway, browser and, at the first visit, the making of thumbnails share the machine.',
      ],
    };
  },
);

interface Visit {
  empty: Scrolled;
  full: Scrolled;
  heap: number;
}

async function visit(url: string, session: HttpSession): Promise<Visit> {
  const visitor = await openVisitor(url, session);
  await visitor.page.addInitScript(() => {
    const kept = globalThis as unknown as { longTasks: number[] };
    kept.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) kept.longTasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  const empty = await scrolled(visitor, '/gallery?source=upload&tag=none', 0);
  const full = await scrolled(visitor, '/gallery?source=upload', pictures);
  const heap = await heapMb(visitor);
  await visitor.close();
  return { empty, full, heap };
}

function tasksOf(when: string, { longTasks, maxTaskMs, maxProcessorMs }: Scrolled, kind = ''): Figure[] {
  return [
    { name: `${kind}long tasks of the page${when}`, value: longTasks, unit: '' },
    { name: `${kind}the longest of them`, value: maxTaskMs, unit: 'ms' },
    { name: `${kind}most processor time of one task`, value: maxProcessorMs, unit: 'ms' },
  ];
}

/** Why the first visit has long tasks that an empty list does not have. */
function reasonOf({ empty, full }: Visit, second: Visit): string {
  const most = Math.round(full.maxProcessorMs);
  if (most > Math.max(50, empty.maxProcessorMs)) return `One task needed the processor for ${most} ms.`;
  const isMetLater = hasNoLonger(second.full, second.empty);
  return `The tasks waited for a processor; none had it for more than ${most} ms. Once all thumbnails are made, ${
    isMetLater ? 'it is met' : 'they wait as well'
  }.`;
}

function hasNoLonger(full: Scrolled, empty: Scrolled): boolean {
  return full.longTasks <= empty.longTasks && full.maxTaskMs <= Math.max(50, empty.maxTaskMs);
}

interface Scrolled {
  reached: number;
  nodes: number;
  longTasks: number;
  maxTaskMs: number;
  maxProcessorMs: number;
}

async function scrolled({ page }: Visitor, address: string, last: number): Promise<Scrolled> {
  const tasks = await watchTasks(page);
  await page.goto(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.mouse.move(640, 600);
  let [reached, nodes] = [0, 0];
  for (let turned = 0; turned < maxWheels && (reached < last || turned < 50); turned += 1) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(16);
    if (turned % 10 !== 0) continue;
    const seen = await page.evaluate(() => ({
      nodes: document.querySelectorAll('*').length,
      places: [...document.querySelectorAll('[aria-posinset]')].map((each) =>
        Number(each.getAttribute('aria-posinset')),
      ),
    }));
    nodes = Math.max(nodes, seen.nodes);
    reached = Math.max(reached, ...seen.places);
  }
  const longTasks = await page.evaluate(() => (globalThis as unknown as { longTasks: number[] }).longTasks);
  const maxProcessorMs = await tasks.maxProcessorMs();
  return {
    reached,
    nodes,
    longTasks: longTasks.length,
    maxTaskMs: Math.max(0, ...longTasks),
    maxProcessorMs,
  };
}

/** The tasks of the page's main thread as the browser traces them: a long task of the page says nothing about its processor time. */
async function watchTasks(page: Page): Promise<{ maxProcessorMs: () => Promise<number> }> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  const devtools = await browser.newBrowserCDPSession();
  const events: TraceEvent[] = [];
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as TraceEvent[]) events.push(event);
  });
  await devtools.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { recordMode: 'recordAsMuchAsPossible', includedCategories: ['toplevel'] },
  });
  return {
    maxProcessorMs: async () => {
      const ended = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve));
      await devtools.send('Tracing.end');
      await ended;
      await devtools.detach();
      const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
      const mainThreads = new Set(
        events.filter(({ args }) => args?.name === 'CrRendererMain').map((event) => threadOf(event)),
      );
      return events
        .filter((event) => mainThreads.has(threadOf(event)) && event.tdur !== undefined)
        .reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0);
    },
  };
}

/** `tdur` is the processor time of the thread in microseconds. */
interface TraceEvent {
  pid: number;
  tid: number;
  tdur?: number;
  args?: { name?: string };
}

async function uploadPictures(url: string, session: HttpSession): Promise<void> {
  const { token } = await session.post<{ token: string }>('/api/v1/auth/tokens', {
    name: 'pictures',
    scopes: ['dispatch:write'],
  });
  let left = pictures;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const body = new FormData();
      body.append('file', new Blob([new Uint8Array(await picture(left))]), `picture-${left}.png`);
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(new URL('/api/files/upload', url), { method: 'POST', headers, body });
      if (!answer.ok) throw new Error(await answer.text());
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, lane));
}

/** Each has a colour and proportions of its own. */
async function picture(number: number): Promise<Buffer> {
  const background = { r: number % 256, g: (number >> 8) % 256, b: (number * 7) % 256 };
  const [width, height] = [160 + (number % 5) * 40, 160 + (number % 3) * 60];
  return sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();
}
