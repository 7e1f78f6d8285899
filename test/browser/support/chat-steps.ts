import type { Locator, Page } from 'playwright-core';
import { openLayer } from './open-layer.js';
import type { Words } from './words.ts';

/** What a visitor of the chat does, by the texts of a language. */
export function chatSteps(text: ReturnType<Words>) {
  const say = async (page: Page | Locator, words: string): Promise<void> => {
    const composer = page.getByRole('textbox', { name: text('composer.message') });
    await composer.fill(words);
    await composer.press('Enter');
  };
  return {
    say,
    /** Begins a conversation. */
    ask: async (page: Page, question: string): Promise<void> => {
      await page.goto('/chat');
      await say(page, question);
      await page.waitForURL(/\/chat\/.+/);
    },
    button: (page: Page | Locator, key: string): Locator =>
      page.getByRole('button', { name: text(key), exact: true }),
    /** Asks the last question in other words. */
    edit: async (page: Page, words: string): Promise<void> => {
      await page.getByRole('button', { name: text('turn.edit'), exact: true }).click();
      const dialog = openLayer(page);
      await dialog.getByRole('textbox').fill(words);
      await dialog.getByRole('button', { name: text('replace.edit.confirm') }).click();
    },
  };
}

/** The thread of the page, as the API names it. */
export function threadApi(page: Page): string {
  return new URL(page.url()).pathname.replace('/chat/', '/api/threads/');
}
