import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addBoxes, type Box, longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const chat = wordsOf('en')('chat');

describe.runIf(canBrowse)('a page that is open while things break', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 700);
  });
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it('goes on with the card of a task after a reload in the middle, and ends with its picture once', async () => {
    const { page, faults } = await stage.visit({ session: admin });
    await ask(page, 'invert a picture');
    const card = page.getByRole('region', { name: /^Task / });
    await expect.poll(() => percentOf(page)).toBeGreaterThan(0);
    await page.reload();
    await card.waitFor();
    const before = await percentOf(page);
    await expect.poll(() => percentOf(page)).toBeGreaterThan(before);
    await card.getByRole('img').first().waitFor();
    await expect.poll(() => page.getByText(/^Done\. Task /).count()).toBe(1);
    expect(await card.count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('loses nothing and says nothing twice when the gateway is killed and started again under it', async () => {
    const watched = await stage.visit({ session: admin });
    const { page, faults } = watched;
    await ask(page, 'invert a picture');
    const card = page.getByRole('region', { name: /^Task / });
    await card.waitFor();
    await watched.whileAway(async () => {
      await stage.kill9();
      await page.getByText(wordsOf('en')('app')('live.reconnecting')).first().waitFor();
      await stage.startAgain();
      await card.getByRole('img').first().waitFor();
    });
    await expect.poll(() => page.getByText(/^Done\. Task /).count()).toBe(1);
    expect(await card.count()).toBe(1);
    expect(faults).toEqual([]);
  });

  it('keeps the plain icon when its picture cannot be fetched', async () => {
    const watched = await stage.visit({ session: admin });
    const { page, faults } = watched;
    await watched.whileAway(async () => {
      await page.route('**/icon.svg', (route) => route.abort());
      const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/icon.svg'));
      await page.goto('/');
      // Shorter than the next one: the worker does not repeat steps that it has done.
      await admin.post('/api/tasks', { workflow: longGraph(4) });
      await refused;
      await expect.poll(() => page.title()).toContain('1');
    });
    expect(faults).toEqual([]);
  });

  it('follows a task on its own page through a kill of the gateway', async () => {
    const task = await admin.post<{ data: { id: string } }>('/api/tasks', { workflow: longGraph(12) });
    const { page } = await stage.visit({ session: admin });
    await page.goto(`/tasks/${task.data.id}`);
    await expect.poll(() => percentOf(page)).toBeGreaterThan(0);
    await stage.kill9();
    await stage.startAgain();
    await page.getByText(wordsOf('en')('tasks')('state.done'), { exact: true }).first().waitFor();
    await page.getByRole('main').getByRole('img').first().waitFor();
  });
});

async function ask(page: Page, question: string): Promise<void> {
  await page.goto('/chat');
  const composer = page.getByRole('textbox', { name: chat('composer.message') });
  await composer.fill(question);
  await composer.press('Enter');
}

/** The progress that the page shows; -1 while it shows none. */
async function percentOf(page: Page): Promise<number> {
  const bar = page.getByRole('progressbar').first();
  if ((await bar.count()) === 0) return -1;
  return Number(await bar.getAttribute('aria-valuenow', { timeout: 1_000 }).catch(() => '-1'));
}
