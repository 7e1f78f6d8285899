import { canBrowse } from '@switchyard/dev-env/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { chatSteps, threadApi } from './support/chat-steps.ts';
import { openLayer } from './support/open-layer.js';
import { startScriptedProvider } from './support/scripted-provider.ts';
import { stageOfTests } from './support/stage-of-tests.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('chat');
const { ask, say, button, edit } = chatSteps(text);

describe.runIf(canBrowse)('the versions of an answer in a browser', () => {
  const on = stageOfTests(startScriptedProvider);
  const { visit } = on;
  const place = (page: Page, number: number, count: number) =>
    page.getByText(text('versions.position', { number, count }), { exact: true });
  const asked = (page: Page, words: string) =>
    page.getByRole('article').getByText(`You said: ${words}`, { exact: true });
  const said = async (page: Page) => {
    const state = await on.admin.get<{ values: { messages: { content: string }[] } }>(
      `${threadApi(page)}/state`,
    );
    return state.values.messages.map(({ content }) => content);
  };
  /** A conversation whose one question was asked in two ways. */
  const askTwice = async (page: Page): Promise<void> => {
    await ask(page, 'first words');
    await asked(page, 'first words').waitFor();
    await edit(page, 'other words');
    await asked(page, 'other words').waitFor();
    await place(page, 2, 2).waitFor();
  };

  it('are gone through with the keyboard, and each is its own link', async () => {
    const page = await visit();
    await askTwice(page);
    await button(page, 'turn.again').click();
    const dialog = openLayer(page);
    await dialog.getByRole('button', { name: text('replace.regenerate.confirm') }).click();
    await place(page, 3, 3).waitFor();
    // The answer that it stands for is gone at once, and nothing of it comes back.
    expect(await page.getByRole('article').count()).toBe(1);
    await button(page, 'turn.again').waitFor();
    // The dialog gives the focus back to its button, in its own time.
    await page.reload();
    await place(page, 3, 3).waitFor();
    const before = button(page, 'versions.before');
    await before.press('Enter');
    await place(page, 2, 3).waitFor();
    await asked(page, 'other words').waitFor();
    expect(await before.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await place(page, 1, 3).waitFor();
    await asked(page, 'first words').waitFor();
    await page.getByText(text('versions.reading'), { exact: true }).waitFor();
    await page.reload();
    await asked(page, 'first words').waitFor();
    await place(page, 1, 3).waitFor();
    await page.goBack();
    await place(page, 2, 3).waitFor();
    await button(page, 'versions.newest').click();
    await place(page, 3, 3).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(await page.getByText(text('versions.reading'), { exact: true }).count()).toBe(0);
  });

  it('are read with the feedback and the tokens of their own run', async () => {
    const page = await visit();
    await askTwice(page);
    const [newer, older] = await on.admin.get<{ run_id: string }[]>(`${threadApi(page)}/runs`);
    const link = (runId?: string) => page.locator(`a[href$="/${runId}"]`);
    await link(newer?.run_id).waitFor();
    await button(page, 'versions.before').click();
    await link(older?.run_id).waitFor();
    await button(page, 'turn.good').click();
    await button(page, 'turn.noComment').click();
    const rating = async (runId?: string) =>
      (await on.admin.get<{ rating: number }[]>(`${threadApi(page)}/runs/${runId}/feedback`)).map(
        ({ rating }) => rating,
      );
    await expect.poll(() => rating(older?.run_id)).toEqual([1]);
    expect(await rating(newer?.run_id)).toEqual([]);
    const pressed = () => button(page, 'turn.good').getAttribute('aria-pressed');
    await expect.poll(pressed).toBe('true');
    await button(page, 'versions.after').click();
    await link(newer?.run_id).waitFor();
    await expect.poll(pressed).toBe('false');
  });

  it('go on from the one that is shown, which is the newest conversation from then on', async () => {
    const page = await visit();
    await askTwice(page);
    await button(page, 'versions.before').click();
    await asked(page, 'first words').waitFor();
    await say(page, 'and then');
    await asked(page, 'and then').waitFor();
    const line = ['first words', 'You said: first words', 'and then', 'You said: and then'];
    await expect.poll(() => said(page)).toEqual(line);
    expect(new URL(page.url()).search).toBe('');
    await place(page, 1, 2).waitFor();
    await button(page, 'versions.after').click();
    await asked(page, 'other words').waitFor();
    expect(await asked(page, 'and then').count()).toBe(0);
    await button(page, 'versions.before').click();
    await asked(page, 'and then').waitFor();
    await say(page, 'and at last');
    await asked(page, 'and at last').waitFor();
    await expect.poll(() => said(page)).toEqual([...line, 'and at last', 'You said: and at last']);
  });

  it('become a conversation of their own, or are asked aside, from an older one too', async () => {
    const page = await visit();
    await askTwice(page);
    await button(page, 'versions.before').click();
    await asked(page, 'first words').waitFor();
    const address = page.url();
    const old = ['first words', 'You said: first words'];
    await button(page, 'aside.ask').click();
    const aside = page.getByRole('dialog', { name: text('aside.title') });
    await aside.getByText('You said: first words', { exact: true }).waitFor();
    expect(await aside.getByText('other words').count()).toBe(0);
    await page.goto(address);
    await asked(page, 'first words').waitFor();
    await button(page, 'turn.branch').click();
    await page.getByRole('button', { name: text('replace.branch.confirm') }).click();
    await page.waitForURL((url) => url.pathname !== new URL(address).pathname);
    await asked(page, 'first words').waitFor();
    expect(await said(page)).toEqual(old);
    await say(page, 'and then');
    await asked(page, 'and then').waitFor();
    await expect.poll(() => said(page)).toEqual([...old, 'and then', 'You said: and then']);
  });

  it('fit a phone in Chinese, and everybody can use them', async () => {
    const chinese = wordsOf('zh-CN')('chat');
    const steps = chatSteps(chinese);
    const page = await visit({ width: 360, locale: 'zh-CN' });
    await steps.ask(page, 'first words');
    await asked(page, 'first words').waitFor();
    await steps.edit(page, 'other words');
    await page.getByText(chinese('versions.position', { number: 2, count: 2 })).waitFor();
    await steps.button(page, 'versions.before').click();
    await page.getByText(chinese('versions.reading'), { exact: true }).waitFor();
    await asked(page, 'first words').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(360);
  });
});
