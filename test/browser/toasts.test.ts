import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { openForm } from './support/open-layer.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('zh-CN');

describe.runIf(canBrowse)('a message at the edge of the window', () => {
  let stage: Stage;
  let admin: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
  });
  afterAll(() => stage?.close());

  /** A page in Chinese that says that a fact is forgotten. */
  const forget = async (fact: string, width = 1280) => {
    await admin.post('/api/memory/facts', { content: fact, category: 'context', confidence: 0.9 });
    const { page, faults } = await stage.visit({ session: admin, locale: 'zh-CN', width });
    await page.goto('/memory');
    const text = words('memory');
    await page.getByRole('button', { name: text('fact.forget'), exact: true }).click();
    const region = page.getByRole('region', { name: words('kit')('toast.region') });
    const message = region.getByRole('dialog', { name: text('fact.forgotten') });
    const close = message.getByRole('button', { name: words('kit')('toast.close') });
    await message.waitFor();
    return { page, faults, message, close };
  };

  it('has a name and both its buttons for a screen reader that has not gone there', async () => {
    const { page, faults, message, close } = await forget('Likes red.');
    await page.mouse.move(1, 1);
    await message.getByRole('button', { name: words('kit')('toast.undo') }).waitFor();
    await close.waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('is closed with the keyboard: F6 leads there, Tab to its buttons', async () => {
    const { page, faults, message, close } = await forget('Likes blue.');
    await page.keyboard.press('F6');
    for (const _ of ['message', 'undo', 'close']) await page.keyboard.press('Tab');
    expect(await close.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await message.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  it('leaves the buttons of a dialog free on a phone, and stays in sight', async () => {
    const { page, faults, message } = await forget('Likes white.', 360);
    const dialog = await openForm(page, words('memory')('fact.add'));
    const buttons = dialog.getByRole('button');
    await buttons.last().waitFor();
    const isOnTop = (element: Element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    };
    for (const button of await buttons.all()) expect(await button.evaluate(isOnTop)).toBe(true);
    expect(await message.evaluate(isOnTop)).toBe(true);
    expect(faults).toEqual([]);
  });
});
