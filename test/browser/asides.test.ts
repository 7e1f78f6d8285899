import { canBrowse } from '@switchyard/dev-env/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { chatSteps, threadApi } from './support/chat-steps.ts';
import { startScriptedProvider } from './support/scripted-provider.ts';
import { stageOfTests } from './support/stage-of-tests.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('chat');
const { ask, say, button } = chatSteps(text);

interface Thread {
  thread_id: string;
  metadata: Record<string, unknown>;
  values: { messages: { content: string }[] };
}

describe.runIf(canBrowse)('an aside in a browser', () => {
  const on = stageOfTests(startScriptedProvider);
  const { visit } = on;
  const asideOf = (page: Page, title = text('aside.title')) => page.getByRole('dialog', { name: title });
  const asideIdOf = (page: Page) => new URL(page.url()).searchParams.get('aside');
  const said = async (api: string) =>
    (await on.admin.get<Thread>(`${api}/state`)).values.messages.map(({ content }) => content);
  const listed = (page: Page, title: string) =>
    page.getByRole('navigation', { name: text('threads.label') }).getByText(title, { exact: true });

  it('goes on beside the conversation and never enters it, after a reload too', async () => {
    const page = await visit();
    await ask(page, 'the first');
    await page.getByText('You said: the first').waitFor();
    await say(page, 'the second');
    await page.getByText('You said: the second').waitFor();
    await button(page, 'aside.ask').first().click();
    const aside = asideOf(page);
    await aside.getByText('You said: the first', { exact: true }).waitFor();
    expect(await aside.getByText('You said: the second').count()).toBe(0);
    const field = aside.getByRole('textbox', { name: text('composer.message') });
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await say(aside, 'what about it');
    await aside.getByText('You said: what about it').waitFor();
    await page.reload();
    await aside.getByText('You said: what about it').waitFor();
    const main = page.getByRole('main');
    await main.getByText('You said: the second').waitFor();
    expect(await main.getByText('what about it').count()).toBe(0);
    expect(await said(threadApi(page))).toEqual([
      'the first',
      'You said: the first',
      'the second',
      'You said: the second',
    ]);
    expect(await said(`/api/threads/${asideIdOf(page)}`)).toEqual([
      'the first',
      'You said: the first',
      'what about it',
      'You said: what about it',
    ]);
    await aside.getByRole('button', { name: wordsOf('en')('kit')('dialog.close') }).click();
    await aside.waitFor({ state: 'detached' });
    expect(asideIdOf(page)).toBeNull();
  });

  it('stands apart in the list until it is opened as a conversation', async () => {
    const page = await visit();
    await ask(page, 'a trunk');
    await page.getByText('You said: a trunk').waitFor();
    // Named after the question: a title comes after the answer, and may come after the aside.
    await button(page, 'aside.ask').click();
    const aside = asideOf(page);
    await aside.getByText('You said: a trunk').waitFor();
    const asideId = asideIdOf(page);
    const { metadata } = await on.admin.get<Thread>(`/api/threads/${asideId}`);
    expect(metadata).toMatchObject({
      deerflow_sidecar: true,
      branch_parent_thread_id: threadApi(page).split('/').at(-1),
    });
    const title = text('aside.named', { subject: 'a trunk' });
    const row = page.locator(`a[href="/chat/${asideId}"]`);
    await listed(page, 'A scripted title').first().waitFor();
    expect(await row.count()).toBe(0);
    await button(page, 'threads.asides').click();
    await row.filter({ hasText: title }).waitFor();
    expect(await listed(page, 'A scripted title').count()).toBe(0);
    await button(aside, 'aside.open').click();
    await page.waitForURL(new RegExp(`/chat/${asideId}$`));
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await button(page, 'aside.open').count()).toBe(0);
    await button(page, 'threads.asides').click();
    await row.filter({ hasText: title }).waitFor();
    const after = await on.admin.get<Thread>(`/api/threads/${asideId}`);
    expect(after.metadata.deerflow_sidecar).toBe(false);
  });

  it('says on a page of its own where it belongs, and begins no further aside', async () => {
    const page = await visit();
    await ask(page, 'the origin');
    await page.getByText('You said: the origin').waitFor();
    const origin = new URL(page.url()).pathname;
    await button(page, 'aside.ask').click();
    await asideOf(page).getByText('You said: the origin').waitFor();
    await page.goto(`/chat/${asideIdOf(page)}`);
    await say(page, 'more');
    await page.getByText('You said: more').waitFor();
    await button(page, 'turn.copy').waitFor();
    expect(await button(page, 'aside.ask').count()).toBe(0);
    expect(await button(page, 'turn.branch').count()).toBe(0);
    await page.getByRole('link', { name: text('aside.origin') }).click();
    await page.waitForURL(new RegExp(`${origin}$`));
  });

  it('covers a phone in Chinese, and everybody can use it', async () => {
    const words = wordsOf('zh-CN');
    const chinese = words('chat');
    const steps = chatSteps(chinese);
    const page = await visit({ width: 360, locale: 'zh-CN' });
    await steps.ask(page, 'on a phone');
    await page.getByText('You said: on a phone').waitFor();
    await steps.button(page, 'aside.ask').click();
    const aside = asideOf(page, chinese('aside.title'));
    await aside.getByText('You said: on a phone').waitFor();
    await steps.say(aside, 'beside it');
    await aside.getByText('You said: beside it').waitFor();
    expect(await aside.boundingBox()).toMatchObject({ x: 0, y: 0, width: 360, height: 780 });
    const send = await steps.button(aside, 'composer.send').boundingBox();
    expect((send?.y ?? 780) + (send?.height ?? 0)).toBeLessThanOrEqual(780);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  });
});
