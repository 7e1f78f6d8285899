import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('zh-CN');

describe.runIf(canBrowse)('the console on a phone, in Chinese', () => {
  let stage: Stage;
  let admin: HttpSession;
  let page: Page;
  let faults: string[] = [];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    ({ page, faults } = await stage.visit({ session: admin, width: 360, locale: 'zh-CN' }));
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(() => stage?.close());

  it('shows the whole message field above the bar at the bottom, before anything is scrolled', async () => {
    const text = words('chat');
    await page.goto('/chat');
    const field = page.getByRole('form', { name: text('composer.label') });
    const bar = page.getByRole('navigation', { name: words('app')('rail.label') });
    const edges = async () => {
      const [above, below] = [await field.boundingBox(), await bar.boundingBox()];
      return { end: above && above.y + above.height, bar: below?.y };
    };
    await field.waitFor();
    await expect.poll(async () => (await edges()).end ?? 0).toBeGreaterThan(0);
    const { end, bar: start } = await edges();
    expect(end).toBeLessThanOrEqual(start ?? 0);
    expect(await page.evaluate(() => window.scrollY)).toBe(0);
  });

  it('says in Chinese why a task waits', async () => {
    const text = words('tasks');
    const made = await admin.post<{ data: { id: string } }>('/api/tasks', {
      workflow: longGraph(1),
      pool: 'nowhere',
    });
    await page.goto(`/tasks/${made.data.id}`);
    await page.getByText(text('why.noneAble')).waitFor();
    await page
      .getByText(/不在这个任务允许的范围内/)
      .first()
      .waitFor();
    expect(
      await page
        .getByRole('main')
        .getByText(/No instance|is not where/)
        .count(),
    ).toBe(0);
  });

  it('says once that a task was cancelled, and once why a run on the bench waits', async () => {
    const text = words('workflows');
    await admin.post('/api/queue/pause', { scope: 'all' });
    const { data } = await admin.post<{ data: { id: string } }>('/api/workflows', {
      name: 'kite',
      workflow: longGraph(1),
    });
    await page.goto(`/workflows/${data.id}`);
    await page.getByRole('button', { name: text('run.start', { count: 1 }) }).click();
    const bench = page.getByRole('region', { name: text('bench.label') });
    const reason = bench.getByText('管理员已暂停整个队列');
    await reason.first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await reason.count()).toBe(1);
    await bench.getByRole('button', { name: text('bench.cancel', { count: 1 }) }).click();
    await reason.waitFor({ state: 'detached' });
    await admin.post('/api/queue/resume', { scope: 'all' });
    await page.goto('/tasks?status=cancelled');
    const card = page.getByRole('listitem').filter({ hasText: 'kite' });
    await card.waitFor();
    expect(await card.getByText(words('tasks')('state.cancelled')).count()).toBe(1);
  });

  it('counts the filters of the gallery on their button, and brings each action on chosen files into view', async () => {
    const text = words('gallery');
    await admin.post('/api/tasks?wait=60', { workflow: longGraph(1) });
    await page.goto('/gallery?kind=all');
    const filters = page.getByRole('button', { name: text('filter.set', { count: 1 }) });
    await filters.waitFor();
    expect(await filters.getAttribute('aria-expanded')).toBe('false');
    await filters.click();
    await page.getByRole('combobox', { name: text('filter.kind') }).click();
    await page.getByRole('option').first().waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await page.locator('[data-picture="0"]').focus();
    await page.keyboard.press('x');
    const bar = page.getByRole('toolbar', { name: text('selection.label') });
    const action = bar.getByRole('button', { name: text('collections.add') });
    const isFocused = () => action.evaluate((button) => button === document.activeElement);
    for (let count = 0; count < 12 && !(await isFocused()); count += 1) await page.keyboard.press('Tab');
    expect(await isFocused()).toBe(true);
    const [whole, part] = [await bar.boundingBox(), await action.boundingBox()];
    const endOf = (box: typeof whole) => (box?.x ?? 0) + (box?.width ?? 0);
    expect(part?.x).toBeGreaterThan(whole?.x ?? 0);
    expect(endOf(part)).toBeLessThan(endOf(whole));
  });

  it('shows of a run what its rows are called, and what its events say', async () => {
    const { thread_id: thread } = await admin.post<{ thread_id: string }>('/api/threads', {});
    const input = { messages: [{ role: 'user', content: 'invert a picture' }] };
    const run = await admin.post<{ run_id: string }>(`/api/threads/${thread}/runs`, { input });
    await admin.get(`/api/threads/${thread}/runs/${run.run_id}/join`);
    await page.goto(`/runs/${thread}/${run.run_id}`);
    // The deepest rows have the least room.
    const deepest = page.getByRole('row', { level: 5 }).first();
    await deepest.waitFor();
    const name = deepest.locator('th > span').last();
    expect(await name.textContent()).not.toBe('');
    expect((await name.boundingBox())?.width).toBeGreaterThan(40);
    await page.goto(`/runs/${thread}/${run.run_id}?view=events`);
    const event = page.getByRole('listitem').filter({ hasText: 'human_message' });
    const said = await event.getByText('invert a picture', { exact: true }).boundingBox();
    expect(said?.width).toBeGreaterThan(60);
  });
});
