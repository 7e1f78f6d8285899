import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';

const tasks = 150;
/** More rows than the list keeps beyond the window, so that each turn brings rows that were not in the page. */
const turnPx = 600;

describe.runIf(canBrowse)('a long list', () => {
  let stage: Stage;
  let admin: HttpSession;
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    await admin.post('/api/queue/pause', { scope: 'all' });
    for (let n = 0; n < tasks; n += 1)
      await admin.post('/api/tasks', { workflow: longGraph(1), name: `Row ${n}` });
    ({ page, faults } = await stage.visit({ session: admin }));
  });
  afterAll(async () => {
    expect(faults).toEqual([]);
    await stage?.close();
  });

  it('shows each of its rows once, in order and without a gap, while it scrolls to the end', async () => {
    await page.goto('/tasks');
    await page.getByRole('table').hover();
    const rows = page.locator('tr[data-row]');
    const seen = new Set<string>();
    for (let turn = 0; seen.size < tasks && turn < tasks; turn += 1) {
      await expect.poll(() => page.evaluate(gapsInWindow)).toEqual([]);
      for (const id of await rows.evaluateAll((found) => found.map(({ dataset }) => dataset.row ?? '')))
        seen.add(id);
      await page.mouse.wheel(0, turnPx);
    }
    expect(seen.size).toBe(tasks);
  });
});

/** Runs in the page. Returns the neighbours in the window that do not meet, and the end of the rows where it comes too early. */
function gapsInWindow(): string[] {
  const count = Number(document.querySelector('table')?.getAttribute('aria-rowcount'));
  const shown = [...document.querySelectorAll('tr[data-row]')]
    .map((row) => ({ index: Number(row.getAttribute('aria-rowindex')), box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > 0 && box.top < innerHeight);
  const gaps = shown.flatMap((row, at) => {
    const next = shown[at + 1];
    if (next === undefined) return [];
    const meets = next.index === row.index + 1 && Math.abs(next.box.top - row.box.bottom) <= 1;
    return meets ? [] : [`${row.index} ends at ${row.box.bottom}, ${next.index} begins at ${next.box.top}`];
  });
  const last = shown.at(-1);
  const isFilled = last !== undefined && (last.box.bottom >= innerHeight || last.index === count);
  return isFilled ? gaps : [...gaps, `the rows end at ${last?.box.bottom} of ${innerHeight}`];
}
