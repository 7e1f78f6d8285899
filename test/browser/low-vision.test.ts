import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithoutObject } from './support/addresses.ts';
import { beyondWindow } from './support/beyond-window.ts';
import { addBoxes, type Box } from './support/fleet.ts';
import { makeObjects } from './support/objects.ts';
import { follow, quietPage } from './support/quiet-page.ts';
import { Stage } from './support/stage.ts';

/** A window of 1280 by 1024 pixels at 400 %. */
const zoomed = { width: 320, height: 256 };
const maxTabs = 100;

describe.runIf(canBrowse)('a user who sees little', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let objects: string[];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 5);
    objects = await makeObjects(admin);
  });
  afterEach(() => stage.closePages());
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it('scrolls in one direction only at 400 %, and sees what has the focus', async () => {
    const { page, faults } = await stage.visit({ session: admin, ...zoomed });
    const isQuiet = quietPage(page);
    await page.goto('/');
    const found: Record<string, string[]> = {};
    for (const address of [...pagesWithoutObject, ...objects]) {
      await follow(page, address);
      await expect.poll(isQuiet).toBe(true);
      const wrong = [...(await beyondWindow(page)), ...(await hiddenFocus(page))];
      if (wrong.length > 0) found[address] = wrong;
    }
    expect(found).toEqual({});
    expect(faults).toEqual([]);
  });
});

/** Presses Tab through the page, and returns what has the focus where no one can see it. */
async function hiddenFocus(page: Page): Promise<string[]> {
  const hidden = new Set<string>();
  for (let pressed = 0; pressed < maxTabs; pressed++) {
    await page.keyboard.press('Tab');
    const focus = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const { left, right, top, bottom } = element.getBoundingClientRect();
      const [from, to] = [Math.max(0, left), Math.min(innerWidth, right)];
      const [above, below] = [Math.max(0, top), Math.min(innerHeight, bottom)];
      const parts = [0.1, 0.5, 0.9];
      const isSeen = parts.some((across) =>
        parts.some((down) => {
          const hit = document.elementFromPoint(from + (to - from) * across, above + (below - above) * down);
          return (
            hit !== null && from < to && above < below && (element.contains(hit) || hit.contains(element))
          );
        }),
      );
      return { isSeen, name: `hidden focus: ${element.outerHTML.slice(0, 160)}` };
    });
    if (focus === null) break;
    if (!focus.isSeen) hidden.add(focus.name);
  }
  return [...hidden];
}
