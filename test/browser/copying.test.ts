import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('kit');

describe.runIf(canBrowse)('a text that is copied', () => {
  let stage: Stage;
  let admin: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
  });
  afterEach(() => stage.closePages());
  afterAll(() => stage?.close());

  const shownCommand = async (page: Page) => {
    await page.goto('/tasks');
    return (await page.locator('[data-command]').first().textContent()) ?? '';
  };

  it('lands in the clipboard where the browser gives one', async () => {
    const { page, faults } = await stage.visit({ session: admin });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const command = await shownCommand(page);
    await page.getByRole('button', { name: text('command.copy') }).click();
    await page.getByRole('button', { name: text('command.copied') }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);
    expect(faults).toEqual([]);
  });

  it('stands selected in a dialog on a page of plain HTTP, which gets no clipboard', async () => {
    // Browsers take this address for one of another machine.
    const { page, faults } = await stage.visit({ session: admin, host: '0.0.0.0' });
    const command = await shownCommand(page);
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    await page.getByRole('button', { name: text('command.copy') }).click();
    const dialog = page.getByRole('dialog', { name: text('copy.title') });
    const field = dialog.getByRole('textbox', { name: text('copy.label') });
    await field.waitFor();
    const chosen = () =>
      page.evaluate(() => {
        const field = document.activeElement as HTMLTextAreaElement;
        return field.value?.slice(field.selectionStart, field.selectionEnd);
      });
    await expect.poll(chosen).toBe(command);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // The browser says of such a page that it does not keep it apart from others.
    expect(faults.filter((fault) => !fault.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
  });
});
