import { canBrowse } from '@switchyard/dev-env/chromium';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { type Hands, keyboard, pointer } from './support/hands.ts';
import { adminPassword, type Look, Stage } from './support/stage.ts';
import { type Words, wordsOf } from './support/words.ts';

describe.runIf(canBrowse)('a newcomer on an empty data home', () => {
  let stage: Stage;
  afterEach(async () => {
    await stage?.close();
  });

  it.each<{ how: string; look: Look; hands: Hands }>([
    { how: 'with a pointer', look: {}, hands: pointer },
    { how: 'on a phone', look: { width: 360 }, hands: pointer },
    { how: 'in Chinese', look: { locale: 'zh-CN' }, hands: pointer },
    { how: 'with the keyboard alone', look: {}, hands: keyboard },
  ])('signs in, runs the samples and sees the agent do it, $how', async ({ look, hands }) => {
    stage = await Stage.open();
    const words = wordsOf(look.locale ?? 'en');
    const { page, faults } = await stage.visit({ ...look, statuses: [401] });
    await page.goto('/');
    await signIn(page, { words, hands, account: stage.firstAccount });
    await runSamples(page, { words, hands });
    await talkToAgent(page, { words, hands });
    await page.goto('/gallery');
    await expect
      .poll(() => page.getByRole('main').locator('input[type="image"]').count())
      .toBeGreaterThanOrEqual(8);
    expect(faults).toEqual([]);
  });
});

interface Manner {
  words: Words;
  hands: Hands;
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first();

async function signIn(
  page: Page,
  { words, hands, account }: Manner & { account: { email: string; password: string } },
): Promise<void> {
  const text = words('sign-in');
  await page.getByLabel(text('email')).waitFor();
  // The form has the focus in its first field, so typing is enough.
  await page.keyboard.type(account.email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(account.password);
  await hands.press(button(page, text('login.submit')));
  await page.getByRole('heading', { name: text('change.title') }).waitFor();
  await page.getByLabel(text('new.label'), { exact: true }).waitFor();
  await page.keyboard.type(adminPassword);
  await hands.press(button(page, text('change.submit')));
  await page.getByRole('heading', { level: 1, name: words('start')('title') }).waitFor();
}

async function runSamples(page: Page, { words, hands }: Manner): Promise<void> {
  const text = words('start');
  await hands.press(button(page, text('run.start')));
  await page.getByText(text('run.finished', { count: 8 })).waitFor();
  const pictures = page.getByRole('main').getByRole('img');
  await expect.poll(() => pictures.count()).toBeGreaterThanOrEqual(8);
  const isLoaded = () =>
    pictures.evaluateAll((all) => all.slice(0, 8).every((one) => (one as HTMLImageElement).naturalWidth > 0));
  await expect.poll(isLoaded).toBe(true);
}

async function talkToAgent(page: Page, { words, hands }: Manner): Promise<void> {
  const text = words('start');
  const question = page.getByRole('button', { name: new RegExp(text('talk.ask', { question: '.+' })) });
  await hands.press(question.first());
  await page.getByText(text('talk.simulated')).first().waitFor();
  await page.getByText(text('talk.finished')).waitFor();
}
