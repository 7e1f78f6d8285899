import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addBoxes, type Box, longGraph } from './support/fleet.ts';
import { openLayer } from './support/open-layer.js';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

interface Instance {
  id: string;
  serverName: string;
  enabled: boolean;
  alive: boolean;
  state: string;
}

const words = wordsOf('en');

describe.runIf(canBrowse)('an operator, by clicks', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a', 'box-b'], 400);
    ({ page, faults } = await stage.visit({ session: admin }));
  });
  afterAll(async () => {
    expect(faults).toEqual([]);
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  const instance = async (name: string): Promise<Instance | undefined> =>
    (await admin.get<{ data: Instance[] }>('/api/instances')).data.find(
      ({ serverName }) => serverName === name,
    );
  const counted = async (status: string) =>
    (await admin.get<{ data: { total: number } }>(`/api/tasks?limit=1&status=${status}`)).data.total;

  it('drains an instance and gives it tasks again', async () => {
    const text = words('instances');
    await page.goto('/instances');
    const card = page.getByRole('article').filter({ hasText: 'box-a' });
    await card.getByRole('button', { name: text('menu.label', { name: 'box-a' }) }).click();
    await page.getByRole('menuitem', { name: text('menu.drain') }).click();
    await expect.poll(async () => (await instance('box-a'))?.enabled).toBe(false);
    await card.getByText(text('state.off')).waitFor();
    await card.getByRole('switch').click();
    await expect.poll(async () => (await instance('box-a'))?.enabled).toBe(true);
    await card.getByText(text('state.idle')).waitFor();
  });

  it('pauses the queue, cancels what a filter finds, and lifts the pause', async () => {
    const text = words('instances');
    await page.goto('/instances?view=pauses');
    await page.getByRole('combobox', { name: text('pause.what') }).click();
    await page.getByRole('option', { name: text('pause.all') }).click();
    await page.getByRole('button', { name: text('pause.confirm'), exact: true }).click();
    const pauses = () => admin.get<{ data: { pauses: object[] } }>('/api/queue');
    await expect.poll(async () => (await pauses()).data.pauses.length).toBe(1);
    for (let n = 0; n < 5; n++)
      await admin.post('/api/tasks', { workflow: longGraph(2), name: `Never run ${n}` });
    expect(await counted('pending')).toBe(5);

    const tasks = words('tasks');
    await page.goto('/tasks?status=pending&q=Never');
    await page.getByText('Never run 0').first().waitFor();
    await page.getByRole('checkbox').first().check();
    await page.getByRole('button', { name: tasks('batch.cancel'), exact: true }).click();
    await openLayer(page)
      .getByRole('button', { name: tasks('batch.cancelConfirm', { count: 5 }) })
      .click();
    await expect.poll(() => counted('pending')).toBe(0);

    await page.goto('/instances?view=pauses');
    await page.getByRole('button', { name: text('pause.resume') }).click();
    await expect.poll(async () => (await pauses()).data.pauses.length).toBe(0);
  });

  it('reads the name of a task, and not its id, above the page of the task', async () => {
    const created = await admin.post<{ data: { id: string } }>('/api/tasks', {
      workflow: longGraph(1),
      name: 'Red lantern',
    });
    await page.goto(`/tasks/${created.data.id}`);
    const breadcrumb = page.getByRole('navigation', { name: words('app')('breadcrumb') });
    await breadcrumb.getByText('Red lantern').waitFor();
  });

  it('shows the note of a task among its details, and has no empty line for one without a note', async () => {
    const text = words('tasks');
    const submit = (more: object) =>
      admin.post<{ data: { id: string } }>('/api/tasks', { workflow: longGraph(1), ...more });
    const noted = await submit({ note: 'The second try.\nWarmer light.' });
    await page.goto(`/tasks/${noted.data.id}`);
    await page.getByText(/The second try\.\s+Warmer light\./).waitFor();
    expect(await page.getByText(text('facts.note'), { exact: true }).count()).toBe(1);
    const plain = await submit({ name: 'Plain' });
    await page.goto(`/tasks/${plain.data.id}`);
    await page.getByText(plain.data.id, { exact: true }).waitFor();
    expect(await page.getByText(text('facts.note'), { exact: true }).count()).toBe(0);
  });

  it('opens the page of an instance from its card, and finds it again after a reload', async () => {
    await page.goto('/instances');
    await page.getByRole('article').getByRole('link', { name: 'box-a' }).click();
    const address = page.getByText((await instance('box-a'))?.id ?? '', { exact: true });
    await address.first().waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'box-a' }).waitFor();
    await address.first().waitFor();
    await page.getByText(/^\S+ \S+ of \S+ \S+ free$/).waitFor();
    // The built-in worker has no PyTorch, so nothing stands in that place.
    expect(await page.getByText(words('instances')('detail.pytorch'), { exact: true }).count()).toBe(0);
  });

  it('sees that a worker is gone, and that it is back', async () => {
    const text = words('instances');
    await page.goto('/instances');
    const card = page.getByRole('article').filter({ hasText: 'box-b' });
    await card.getByText(text('state.idle')).waitFor();
    await boxes[1]?.refuse();
    await card.getByText(text('state.unreachable')).waitFor();
    expect((await instance('box-b'))?.alive).toBe(false);
    await boxes[1]?.accept();
    await card.getByText(text('state.idle')).waitFor();
    await expect.poll(async () => (await instance('box-b'))?.alive).toBe(true);
  });
});
