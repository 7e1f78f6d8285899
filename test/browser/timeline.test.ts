import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { addBoxes, type Box } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

interface Span {
  id: string;
  kind: string;
  start: string;
  end: string;
}

/** Where the bar of a span begins and ends, in the page's pixels. */
interface Bar {
  id: string;
  from: number;
  to: number;
}

const words = wordsOf('en');
const toleranceMs = 50;

describe.runIf(canBrowse)('the record of a turn that made a picture', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let address: string;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 200);
    const { page } = await stage.visit({ session: admin });
    await page.goto('/chat');
    const composer = page.getByRole('textbox', { name: words('chat')('composer.message') });
    await composer.fill('invert a picture');
    await composer.press('Enter');
    await page.getByText(/^Done\. Task /).waitFor();
    // The buttons of a turn come when its run has ended.
    await page.getByRole('button', { name: words('chat')('turn.good') }).waitFor();
    const [run] = (await admin.get<{ runs: Run[] }>('/api/console/runs')).runs;
    address = `/runs/${run?.thread_id}/${run?.run_id}`;
    await stage.closePages();
  });
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it('stands on the time axis where the API says, within 50 ms', async () => {
    const { page, faults } = await stage.visit({ session: admin });
    await page.goto(address);
    await page.getByRole('treegrid').waitFor();
    const { spans } = await admin.get<{ spans: Span[] }>(
      `/api/threads${address.slice('/runs'.length).replace(/\/([^/]+)$/, '/runs/$1')}/timeline?limit=200`,
    );
    await expect.poll(async () => (await barsOf(page)).length).toBeGreaterThanOrEqual(spans.length);
    const bars = new Map((await barsOf(page)).map((bar) => [bar.id, bar]));
    const whole = spans.find(({ kind }) => kind === 'run');
    const frame = bars.get(whole?.id ?? '');
    if (!whole || !frame) throw new Error('The run itself has no bar.');
    const began = Date.parse(whole.start);
    const msOfPixel = (Date.parse(whole.end) - began) / (frame.to - frame.from);
    const kinds = new Set<string>();
    for (const { id, kind, start, end } of spans) {
      const bar = bars.get(id);
      const shown = bar && {
        from: (bar.from - frame.from) * msOfPixel,
        to: (bar.to - frame.from) * msOfPixel,
      };
      expect(
        Math.abs((shown?.from ?? Number.NaN) - (Date.parse(start) - began)),
        `start of ${kind}`,
      ).toBeLessThanOrEqual(toleranceMs);
      expect(
        Math.abs((shown?.to ?? Number.NaN) - (Date.parse(end) - began)),
        `end of ${kind}`,
      ).toBeLessThanOrEqual(toleranceMs);
      kinds.add(kind);
    }
    expect([...kinds].sort()).toEqual(['attempt', 'model', 'node', 'queue', 'run', 'task', 'tool']);
    expect(faults).toEqual([]);
  });

  it.each([1280, 360])('keeps to WCAG 2.2 AA on each page that shows it, %d pixels wide', async (width) => {
    const { page, faults } = await stage.visit({ session: admin, width });
    const { data } = await admin.get<{ data: { items: { id: string }[] } }>('/api/tasks?limit=1');
    const thread = `/chat/${address.split('/')[2]}`;
    const views = ['', '?view=events', '?view=messages', '?view=replay'].map((view) => address + view);
    for (const each of [...views, thread, `/tasks/${data.items[0]?.id}`]) {
      await page.goto(each);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await accessibilityFaults(page), each).toEqual([]);
    }
    expect(faults).toEqual([]);
  });

  it('is replayed to the same words and pictures as the live page shows', async () => {
    const { page, faults } = await stage.visit({ session: admin });
    await page.goto(`${address}?view=replay`);
    const position = page.getByRole('slider').first();
    await position.focus();
    await page.keyboard.press('End');
    await page.getByText(/^Done\. Task /).waitFor();
    expect(await page.getByText('invert a picture', { exact: true }).count()).toBeGreaterThanOrEqual(1);
    await page
      .getByRole('main')
      .getByRole('img', { name: /inverted/ })
      .first()
      .waitFor();
    await page.keyboard.press('Home');
    await expect.poll(() => page.getByText(/^Done\. Task /).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});

interface Run {
  run_id: string;
  thread_id: string;
}

/** The bar is the one box in the cell of the axis. */
function barsOf(page: Page): Promise<Bar[]> {
  return page.locator('tr[data-span]').evaluateAll((rows) =>
    rows.flatMap((row) => {
      const bar = row.querySelector('td > span[aria-hidden]');
      if (!bar) return [];
      const { left, right } = bar.getBoundingClientRect();
      return [{ id: row.getAttribute('data-span') ?? '', from: left, to: right }];
    }),
  );
}
