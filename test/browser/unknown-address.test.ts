import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

describe.runIf(canBrowse)('an address that nothing has', () => {
  let stage: Stage;
  let admin: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
  });
  afterAll(() => stage?.close());

  it.each([
    ['/nowhere', 'en'],
    ['/tasks/nowhere/x', 'en'],
    ['/nowhere', 'zh-CN'],
  ] as const)('is %s: the console says so and leads on, in %s', async (address, locale) => {
    const text = wordsOf(locale)('app');
    const { page, faults } = await stage.visit({ session: admin, locale, statuses: [404] });
    const answer = await page.goto(address);
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { level: 1, name: text('unknown.title') }).waitFor();
    await page.getByText(text('unknown.cause', { address })).waitFor();
    await page.getByRole('link', { name: text('unknown.home') }).click();
    await page.waitForURL(/\/(start|overview)$/);
    expect(faults).toEqual([]);
  });

  it('asks a visitor to sign in first', async () => {
    const { page } = await stage.visit({ statuses: [401, 404] });
    await page.goto('/nowhere');
    const text = wordsOf('en')('sign-in');
    await page.getByRole('button', { name: text('login.submit') }).waitFor();
  });
});
