import { canBrowse } from '@switchyard/dev-env/chromium';
import { FakeWorker } from '@switchyard/dev-env/fake-worker';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { longGraph } from './support/fleet.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');

describe.runIf(canBrowse)('two users in two browsers', () => {
  let stage: Stage;
  let admin: HttpSession;
  let one: HttpSession;
  let other: HttpSession;

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    one = await stage.member('one@example.com');
    other = await stage.member('other@example.com');
  });
  afterAll(() => stage?.close());

  it('see nothing of each other, live included', async () => {
    const { page: mine, faults } = await stage.visit({ session: one });
    const { page: theirs, faults: theirFaults } = await stage.visit({ session: other });
    await Promise.all([mine.goto('/tasks'), theirs.goto('/tasks')]);
    const empty = theirs.getByText(words('tasks')('empty.first'));
    await empty.waitFor();
    const { data } = await one.post<{ data: { id: string } }>('/api/tasks', {
      workflow: longGraph(2),
      name: 'A private picture',
    });
    await mine.getByText('A private picture').first().waitFor();
    await mine.goto('/gallery');
    await mine.locator('[data-picture]').first().waitFor();
    expect(await empty.isVisible()).toBe(true);
    expect(await theirs.getByText('A private picture').count()).toBe(0);
    await theirs.goto('/gallery');
    await theirs.getByRole('heading', { level: 1 }).waitFor();
    expect(await theirs.locator('[data-picture]').count()).toBe(0);
    await theirs.goto(`/tasks/${data.id}`);
    await theirs.getByRole('heading', { level: 1 }).waitFor();
    expect(await theirs.getByText('A private picture').count()).toBe(0);
    expect(faults).toEqual([]);
    expect(theirFaults.filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  it('show a member the pages of a member, and no button that is refused', async () => {
    const { page, faults } = await stage.visit({ session: one });
    await page.goto('/overview');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const rail = page.getByRole('navigation', { name: words('app')('rail.label') }).first();
    for (const name of ['users', 'settings', 'audit', 'system'])
      expect(await rail.getByRole('link', { name: words('app')(`pages.${name}`) }).count(), name).toBe(0);
    await page.goto('/instances');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: words('instances')('add.open') }).count()).toBe(0);
    expect(await page.getByRole('switch').count()).toBe(0);
    await page.goto('/users');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: words('users')('add.open') }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('share a collection and a workflow by keyboard alone, and see what is taken back go at once', async () => {
    const workflow = { name: 'Poster', workflow: longGraph(2, 2) };
    const { data } = await one.post<{ data: { id: string } }>('/api/workflows', workflow);
    await one.post(`/api/workflows/${data.id}/run`, {});
    const total = async (session: HttpSession, path: string) =>
      (await session.get<{ data: { total: number } }>(path)).data.total;
    await expect.poll(() => total(one, `/api/files?workflowId=${data.id}`)).toBe(2);
    const { page: mine, faults } = await stage.visit({ session: one });
    const { page: beside } = await stage.visit({ session: one });
    const { page: theirs, faults: theirFaults } = await stage.visit({ session: other, statuses: [404] });
    const gallery = words('gallery');
    const sharing = words('sharing');
    const bench = words('workflows');
    const press = (key: string) => mine.keyboard.press(key);
    const give = async (menu: string) => {
      await tabTo(mine.getByRole('button', { name: menu }));
      await press('Enter');
      await tabTo(mine.getByRole('menuitem', { name: gallery('share.open') }), 'ArrowDown');
      await press('Enter');
      await mine.locator('input[type="email"]:focus').waitFor();
      await mine.keyboard.type('other@example.com');
      await press('Enter');
      await takeBack.waitFor();
    };
    const takeBack = mine.getByRole('button', {
      name: sharing('receivers.takeBackFrom', { who: 'other@example.com' }),
    });

    await Promise.all([mine.goto('/gallery'), beside.goto('/gallery'), theirs.goto('/shared')]);
    for (const page of [mine, beside]) await page.locator('[data-picture="1"]').waitFor();
    // A list of choices that was opened before must not take the keys away.
    await tabTo(mine.getByRole('combobox', { name: gallery('kept.label') }));
    await press('Enter');
    await mine.getByRole('listbox').waitFor();
    await press('Escape');
    await mine.getByRole('listbox').waitFor({ state: 'hidden' });
    await tabTo(mine.locator('[data-picture="0"]'));
    await press('s');
    await beside.locator('[data-picture="0"] ~ button[aria-pressed="true"]').waitFor();
    await press('x');
    await press('ArrowRight');
    await mine.locator('[data-picture="1"]:focus').waitFor();
    await press('x');
    await tabTo(mine.getByRole('button', { name: gallery('collections.add') }));
    await press('Enter');
    await mine.getByRole('textbox', { name: gallery('collections.name') }).waitFor();
    await mine.keyboard.type('Sea');
    await press('Enter');
    await tabTo(
      mine.getByRole('link', { name: `Sea ${gallery('collections.count', { count: 2 })}` }),
      'Shift+Tab',
    );
    await press('Enter');
    await mine.getByRole('heading', { level: 1, name: 'Sea' }).waitFor();
    const shown = () => idsOn(mine);
    await expect.poll(shown).toHaveLength(2);
    const turned = (await shown()).reverse();
    await tabTo(mine.locator('[data-picture="0"]'));
    await press('Shift+ArrowRight');
    await expect.poll(shown).toEqual(turned);
    const menu = mine.getByRole('button', { name: gallery('collections.actions') });
    await give(gallery('collections.actions'));
    await press('Escape');
    await expect.poll(() => isFocused(menu)).toBe(true);

    await tabTo(theirs.getByRole('link', { name: 'Sea' }));
    await theirs.keyboard.press('Enter');
    await theirs.getByRole('heading', { level: 1, name: 'Sea' }).waitFor();
    await expect.poll(() => idsOn(theirs)).toEqual(turned);
    await theirs.getByText(gallery('share.from', { from: 'one@example.com' })).waitFor();
    const { data: collections } = await one.get<{ data: { items: { id: string }[] } }>('/api/collections');
    const filesOfSea = `/api/collections/${collections.items[0]?.id}/files`;
    await one.post(`${filesOfSea}/remove`, { fileIds: turned.slice(0, 1) });
    await expect.poll(() => idsOn(theirs)).toEqual(turned.slice(1));
    await one.post(filesOfSea, { fileIds: turned.slice(0, 1) });
    await expect.poll(() => idsOn(theirs)).toHaveLength(2);
    await mine.goto(`/workflows/${data.id}`);
    await give(bench('menu.label', { name: 'Poster' }));
    await theirs.goto('/shared');
    await tabTo(theirs.getByRole('link', { name: 'Poster' }));
    await theirs.keyboard.press('Enter');
    await tabTo(theirs.getByRole('switch', { name: bench('shared.switch') }));
    await theirs.keyboard.press('Space');
    await theirs.getByText(bench('shared.on', { name: 'Poster' })).waitFor();
    await theirs.keyboard.press('r');
    await expect.poll(() => total(other, '/api/tasks?limit=1&status=completed')).toBe(1);
    await tabTo(takeBack);
    await press('Enter');
    await theirs.getByText(words('kit')('gone.workflow')).waitFor();
    expect(await accessibilityFaults(theirs)).toEqual([]);
    expect(await accessibilityFaults(mine)).toEqual([]);
    expect([...faults, ...theirFaults]).toEqual([]);
  });

  it('see on the bench, in the list and in a grid that a run stops which was cancelled through the API', async () => {
    const workers = await Promise.all(
      [1, 2].map(() => FakeWorker.start({ runMs: 3_600_000, trouble: 'stubborn' })),
    );
    const pool = {
      id: 'stubborn',
      name: 'stubborn',
      kind: 'comfyui',
      patience: { cancelSeconds: 3_600 },
      instances: workers.map(({ port }) => ({ ip: '127.0.0.1', port })),
    };
    await admin.put('/api/config', {
      servers: [pool],
      healthCheck: { interval: 1, timeout: 1, failures: 2 },
    });
    const running = async (count: number) => {
      const counted = async () =>
        (await one.get<{ data: { total: number } }>('/api/tasks?limit=1&status=running')).data.total;
      await expect.poll(counted).toBe(count);
    };
    const { data: workflow } = await one.post<{ data: { id: string } }>('/api/workflows', {
      name: 'Slow',
      workflow: longGraph(2),
    });
    const bench = words('workflows');
    const { page: atBench, faults } = await stage.visit({ session: one });
    await atBench.goto(`/workflows/${workflow.id}`);
    await atBench.getByRole('button', { name: bench('run.start', { count: 1 }) }).waitFor();
    await atBench.keyboard.press('r');
    await running(1);
    const { data: sweep } = await one.post<{ data: { id: string } }>('/api/sweeps', {
      workflowId: workflow.id,
      axes: [{ param: 'color', values: [1] }],
    });
    await running(2);
    const { page: atGrid, faults: gridFaults } = await stage.visit({ session: one });
    const { page: atList, faults: listFaults } = await stage.visit({ session: one, locale: 'zh-CN' });
    await Promise.all([
      atGrid.goto(`/workflows/${workflow.id}?sweep=${sweep.id}`),
      atList.goto('/tasks?status=running'),
    ]);
    const listed = wordsOf('zh-CN')('tasks');
    const rows = (state: string) => atList.getByRole('row').filter({ hasText: listed(`state.${state}`) });
    const cell = atGrid.locator('[data-cell="0"]');
    await expect.poll(() => rows('running').count()).toBe(2);
    await expect.poll(() => cell.textContent()).toMatch(/%$/);
    const cancel = atBench.getByRole('button', { name: bench('bench.cancel', { count: 1 }) });
    expect(await cancel.getAttribute('aria-disabled')).not.toBe('true');

    await one.post('/api/task-batches?wait=60', { action: 'cancel', filter: {} });
    await atBench.getByText(bench('state.stopping')).first().waitFor();
    const sitting = { done: 0, count: 1, running: 0, stopping: 1, waiting: 0, failed: 0 };
    await atBench.getByText(bench('started.summary', sitting), { exact: true }).waitFor();
    await expect.poll(() => cancel.getAttribute('aria-disabled')).toBe('true');
    await expect.poll(() => rows('stopping').count()).toBe(2);
    const grid = words('workflows/sweep');
    await expect.poll(() => cell.textContent()).toBe(grid('state.stopping'));
    const facts = [grid('counts', { done: 0, count: 1 }), grid('stopping', { count: 1 })].join(' · ');
    await atGrid.getByText(facts, { exact: true }).waitFor();
    await running(2);
    expect([...faults, ...gridFaults, ...listFaults]).toEqual([]);
    await Promise.all(workers.map((worker) => worker.close()));
  });
});

/** Presses a key until an element has the focus, as a person does who has no pointer. */
async function tabTo(target: Locator, key = 'Tab'): Promise<void> {
  await target.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await isFocused(target)) return;
    await target.page().keyboard.press(key);
  }
  throw new Error(`${key} does not lead to ${target}.`);
}

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element === document.activeElement);

const idsOn = (page: Page): Promise<(string | null)[]> =>
  page.locator('main li[data-row]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-row')));
