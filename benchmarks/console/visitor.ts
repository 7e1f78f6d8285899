import { launchChromium } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { CDPSession, Page } from 'playwright-core';
import { percentile } from '../statistics.ts';

export interface Visitor {
  page: Page;
  devtools: CDPSession;
  close: () => Promise<void>;
}

/** A browser without a cache, signed in, on a page of a desktop. */
export async function openVisitor(url: string, session: HttpSession): Promise<Visitor> {
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, baseURL: url });
  const pairs = session.cookieHeader.split('; ').map((pair) => pair.split('=') as [string, string]);
  await context.addCookies(pairs.map(([name, value]) => ({ name, value, url })));
  // What runs this file names functions by a helper that the page does not have.
  await context.addInitScript('globalThis.__name = (value) => value;');
  const page = await context.newPage();
  return { page, devtools: await context.newCDPSession(page), close: () => browser.close() };
}

/** The time between two frames at the 95th percentile while the pointer's wheel scrolls so many times. */
export async function scrollFrames({ page }: Visitor, where: string, wheels: number): Promise<number> {
  await page.locator(where).first().hover();
  await page.evaluate(() => {
    const kept = globalThis as unknown as { frameTimes: number[]; isWatching: boolean };
    kept.frameTimes = [];
    kept.isWatching = true;
    let last = performance.now();
    const watch = (now: number): void => {
      kept.frameTimes.push(now - last);
      last = now;
      if (kept.isWatching) requestAnimationFrame(watch);
    };
    requestAnimationFrame(watch);
  });
  for (let turned = 0; turned < wheels; turned += 1) {
    await page.mouse.wheel(0, 400);
    await page.waitForTimeout(16);
  }
  const times = await page.evaluate(() => {
    const kept = globalThis as unknown as { frameTimes: number[]; isWatching: boolean };
    kept.isWatching = false;
    return kept.frameTimes;
  });
  return percentile(times.slice(1), 95);
}

/** The memory that the page's objects take, after a collection. */
export async function heapMb({ devtools }: Visitor): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1_000_000;
}
