import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { canBrowse, launchChromium } from '@switchyard/dev-env/chromium';
import { temporaryFolder } from '@switchyard/dev-env/temporary-folder';
import type { Browser, Locator, Page } from 'playwright-core';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { WatchedPage } from './support/watched-page.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** As long as the tests themselves are patient; see vitest.config.ts. */
const patienceMs = 120_000;
const title = 'Parts of the console';

const looks = (['light', 'dark'] as const).flatMap((theme) => [1280, 360].map((width) => ({ theme, width })));

describe.runIf(canBrowse)('the page of parts', () => {
  const cache = temporaryFolder();
  let server: ViteDevServer;
  let browser: Browser;

  beforeAll(async () => {
    // As `npm run dev` serves it, but at any free port and without watching files.
    server = await createServer({
      root: join(root, 'packages/console'),
      logLevel: 'error',
      cacheDir: cache.path,
      server: { port: 0, hmr: false, watch: null },
    });
    await server.listen();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    cache.remove();
  });

  it.each(looks)('keeps to WCAG 2.2 AA in $theme at $width pixels, each layer open', async (look) => {
    const { page, faults } = await visit(look);
    expect(await accessibilityFaults(page)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, 'the page is not wider than the window').toBeLessThanOrEqual(0);
    for (const opener of await several(page, '[data-opens]')) {
      await opener.click();
      const layer = page.getByRole('dialog');
      await layer.waitFor();
      await withoutMotion(page);
      expect(await accessibilityFaults(page), (await opener.textContent()) ?? '').toEqual([]);
      await page.keyboard.press('Escape');
      await layer.waitFor({ state: 'hidden' });
    }
    for (const speaker of await several(page, '[data-says]')) {
      await speaker.click();
      await page
        .getByText((await speaker.getAttribute('data-says')) ?? '')
        .first()
        .waitFor();
    }
    await withoutMotion(page);
    expect(await accessibilityFaults(page), 'messages').toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows the name of a file that is not a picture in a button, and says it after what the button is', async () => {
    const { page, faults } = await visit({ theme: 'light', width: 1280 });
    const button = page.getByRole('button', { name: 'A cell with a sound voice_00001_.mp3', exact: true });
    expect(await button.textContent()).toBe('voice_00001_.mp3');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  async function visit({ theme, width }: (typeof looks)[number]): Promise<WatchedPage> {
    const context = await browser.newContext({
      viewport: { width, height: width < 600 ? 780 : 800 },
      colorScheme: theme,
      hasTouch: width < 600,
    });
    context.setDefaultTimeout(patienceMs);
    const watched = await WatchedPage.watch(await context.newPage());
    await watched.page.goto(new URL('/kit', server.resolvedUrls?.local[0]).href);
    await watched.page.getByRole('heading', { level: 1, name: title }).waitFor();
    await watched.page.waitForLoadState('networkidle');
    return watched;
  }
});

it('has no page of parts in the built console', () => {
  const folder = join(root, 'packages/cli/dist/console');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const scripts = files.filter((file) => /\.(js|html)$/.test(file));
  expect(scripts.length).toBeGreaterThan(10);
  expect(readFileSync(join(root, 'packages/console/kit-page/kit-page.tsx'), 'utf8')).toContain(title);
  expect(scripts.filter((file) => readFileSync(join(folder, file), 'utf8').includes(title))).toEqual([]);
});

async function several(page: Page, selector: string): Promise<Locator[]> {
  const found = await page.locator(selector).all();
  expect(found.length, selector).toBeGreaterThan(1);
  return found;
}

/** What appears does so in a moment, in which its colours are those of neither state. */
async function withoutMotion(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY) animation.finish();
  });
}
