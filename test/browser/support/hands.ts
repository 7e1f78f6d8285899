import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** How a person does things on a page: with a pointer, or with the keyboard alone. */
export interface Hands {
  press(target: Locator): Promise<void>;
  /** Writes into a field, in the place of what stands there. */
  fill(field: Locator, words: string): Promise<void>;
  /** Chooses from a menu or a list of choices. `look` happens while it is open. */
  choose(opener: Locator, item: Locator, look?: () => Promise<void>): Promise<void>;
  /** Comes to one of several things of which Tab leads to the first, and these arrow keys from there to this one. */
  comeTo(target: Locator, way: { first: Locator; keys: readonly string[] }): Promise<void>;
  /** Paints over the middle of a picture. */
  paint(stage: Locator): Promise<void>;
}

export const pointer: Hands = {
  press: (target) => target.click(),
  fill: async (field, words) => {
    await field.click();
    await replaceWords(field.page(), words);
  },
  choose: async (opener, item, look) => {
    await opener.click();
    await item.waitFor();
    await look?.();
    await item.click();
    await item.waitFor({ state: 'hidden' });
  },
  comeTo: (target) => target.hover(),
  paint: async (stage) => {
    const { x, y, width, height } = (await stage.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const { mouse } = stage.page();
    const [across, down] = [x + width / 2, y + height / 2];
    await mouse.move(across - width / 8, down);
    await mouse.down();
    await mouse.move(across + width / 8, down, { steps: 8 });
    await mouse.up();
  },
};

/** What has the focus has to be seen on the way to it as well. */
export const keyboard: Hands = {
  press: async (target) => {
    await tabTo(target);
    const isTurned = /^(switch|checkbox)$/.test((await target.getAttribute('role')) ?? '');
    await target.page().keyboard.press(isTurned ? 'Space' : 'Enter');
  },
  fill: async (field, words) => {
    await tabTo(field);
    await replaceWords(field.page(), words);
  },
  choose: async (opener, item, look) => {
    await keyboard.press(opener);
    await item.waitFor();
    await look?.();
    await arrowTo(item);
    await item.page().keyboard.press('Enter');
    await item.waitFor({ state: 'hidden' });
  },
  comeTo: async (target, { first, keys }) => {
    await tabTo(first);
    for (const key of keys) {
      const before = await first.page().evaluateHandle(() => document.activeElement);
      await first.page().keyboard.press(key);
      await expect.poll(() => before.evaluate((element) => element === document.activeElement)).toBe(false);
    }
    await expect.poll(() => hasFocus(target), { message: `${keys} lead to ${target}` }).toBe(true);
    await seeFocus(target.page());
  },
  paint: async (stage) => {
    await tabTo(stage);
    const press = (key: string) => stage.page().keyboard.press(key);
    await press('Enter');
    for (const key of ['ArrowRight', 'ArrowLeft', 'ArrowLeft']) await press(key);
    await press('Enter');
  },
};

async function replaceWords(page: Page, words: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(words);
}

const hasFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

/** More of them than the way to anything on the pages of the console takes. */
const maxPresses = 60;

/** Goes to an element by Tab, or back to it by Shift and Tab where it stands before what has the focus. */
async function tabTo(target: Locator): Promise<void> {
  const page = target.page();
  await target.waitFor();
  // What was pressed before may have gone; the focus then has to be where it was, and not back at the top of the page.
  const isLost = () => page.evaluate(() => document.activeElement === document.body);
  await expect.poll(isLost, { message: `The focus is lost on the way to ${target}.` }).toBe(false);
  const passed: string[] = [];
  while (passed.length < maxPresses) {
    const side = await target.evaluate((element) => {
      const { activeElement } = document;
      if (element === activeElement) return 'here';
      const place = activeElement?.compareDocumentPosition(element) ?? 0;
      return place & Node.DOCUMENT_POSITION_PRECEDING ? 'before' : 'after';
    });
    if (side === 'here') return;
    await page.keyboard.press(side === 'before' ? 'Shift+Tab' : 'Tab');
    passed.push(await seeFocus(page));
  }
  throw new Error(`Tab does not lead to ${target}. It leads to ${passed.join(', ')}.`);
}

/** Goes to an item of what has just opened. */
async function arrowTo(item: Locator): Promise<void> {
  const { keyboard: keys } = item.page();
  const isThere = () =>
    item.evaluate((element) => element === document.activeElement || 'highlighted' in element.dataset);
  for (let presses = 0; presses < maxPresses; presses += 1) {
    if (await isThere()) return;
    await keys.press('ArrowDown');
  }
  throw new Error(`The arrow keys do not lead to ${item}.`);
}

/** Waits until what has the focus is seen, at least in part, and marked. Returns its name. */
async function seeFocus(page: Page): Promise<string> {
  await expect.poll(() => page.evaluate(hiddenFocus)).toBe('');
  return page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute('aria-label') ?? element?.textContent?.trim().slice(0, 40) ?? '';
  });
}

/** Returns what is wrong with the focus for somebody who looks at the page; runs in the page. */
function hiddenFocus(): string {
  const { activeElement: element } = document;
  if (element === null || element === document.body) return '';
  const named = `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent?.trim().slice(0, 60)}`;
  const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
  const inset = (length: number) => Math.min(4, length / 4);
  const points = [
    [left + width / 2, top + height / 2],
    [left + inset(width), top + inset(height)],
    [right - inset(width), top + inset(height)],
    [left + inset(width), bottom - inset(height)],
    [right - inset(width), bottom - inset(height)],
  ] as const;
  const hits = points.map(([x, y]) => document.elementFromPoint(x, y));
  const isSeen = hits.some((hit) => hit !== null && (element.contains(hit) || hit.contains(element)));
  if (!isSeen) return `${named} is out of view, or below ${hits[0]?.outerHTML.slice(0, 120)}`;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  // The browser itself marks the parts of a date; the field around them does not count as what has the focus.
  const isPart = !element.matches(':focus');
  const isMarked = isPart || (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0);
  return isMarked ? '' : `${named} has no ring`;
}
