import type { HttpSession } from '@switchyard/dev-env/http-session';
import sharp from 'sharp';
import { heapMb, openVisitor, type Visitor } from '../console/visitor.ts';
import { startGateway } from '../conversation/agent-servers.ts';
import { isRehearsal, measure } from '../measure.ts';

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
    const visitor = await openVisitor(bench.gateway.url, bench.session);
    const empty = await scrolled(visitor, '/gallery?source=upload&tag=none', 0);
    const full = await scrolled(visitor, '/gallery?source=upload', pictures);
    const heap = await heapMb(visitor);
    await visitor.close();
    await bench.close();
    return {
      figures: [
        { name: 'pictures that were reached', value: full.reached, unit: '' },
        { name: 'most elements of the page at once', value: full.nodes, unit: '' },
        { name: 'baseline: elements of the page with an empty list', value: empty.nodes, unit: '' },
        { name: 'long tasks of the page', value: full.longTasks, unit: '' },
        { name: 'the longest of them', value: full.maxTaskMs, unit: 'ms' },
        { name: 'baseline: long tasks with an empty list', value: empty.longTasks, unit: '' },
        { name: 'baseline: the longest of them', value: empty.maxTaskMs, unit: 'ms' },
        { name: 'heap at the end, after a collection', value: heap, unit: 'MB' },
      ],
      bars: [
        { promise: 'the last picture is reached', isMet: full.reached === pictures },
        { promise: `≤ ${maxNodes} elements`, isMet: full.nodes <= maxNodes },
        {
          promise: 'no long task that an empty list does not have',
          isMet: full.longTasks <= empty.longTasks && full.maxTaskMs <= Math.max(50, empty.maxTaskMs),
        },
        { promise: `heap ≤ ${maxHeapMb} MB`, isMet: heap <= maxHeapMb },
      ],
      notes: [
        `A long task is one of more than 50 ms, from the opening of the page on. The wheel turns until the last picture is there; the gallery loads ${(100).toLocaleString('en')} files at a time meanwhile.`,
        'Elements are those of the whole page, with its navigation and filters. Gateway, thumbnails and browser share the machine.',
      ],
    };
  },
);

interface Scrolled {
  reached: number;
  nodes: number;
  longTasks: number;
  maxTaskMs: number;
}

async function scrolled({ page }: Visitor, address: string, last: number): Promise<Scrolled> {
  await page.addInitScript(() => {
    const kept = globalThis as unknown as { longTasks: number[] };
    kept.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) kept.longTasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
  });
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
  return { reached, nodes, longTasks: longTasks.length, maxTaskMs: Math.max(0, ...longTasks) };
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
