import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { longGraph } from './support/fleet.ts';
import { openLayer } from './support/open-layer.js';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('tasks');
const kit = wordsOf('en')('kit');

describe.runIf(canBrowse)('the list of tasks', () => {
  let stage: Stage;
  let admin: HttpSession;
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    await admin.post('/api/queue/pause', { scope: 'all' });
    for (const name of ['Red lantern', 'Blue lantern'])
      await admin.post('/api/tasks', { workflow: longGraph(1), name });
    ({ page, faults } = await stage.visit({ session: admin }));
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(() => stage?.close());

  const openViews = (on: Page, label = text('view.label')) =>
    on.getByRole('button', { name: label, exact: true }).click();

  it('has the cancelled tasks under a tab of their own, with their number', async () => {
    const { data } = await admin.get<{ data: { items: { id: string; name: string }[] } }>('/api/tasks');
    const blue = data.items.find(({ name }) => name === 'Blue lantern');
    await admin.post('/api/task-batches?wait=60', { action: 'cancel', taskIds: [blue?.id] });
    await page.goto('/tasks');
    await page.getByRole('link', { name: `${text('tab.cancelled')} 1` }).click();
    await page.getByRole('link', { name: 'Blue lantern' }).waitFor();
    await expect.poll(() => page.getByRole('link', { name: 'Red lantern' }).count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?status=cancelled');
  });

  it('shows the command of an action in a menu, by pointer and by keyboard', async () => {
    await page.goto('/tasks?status=pending');
    const { data } = await admin.get<{ data: { items: { id: string }[] } }>('/api/tasks?status=pending');
    await page.getByRole('button', { name: text('action.menu', { name: 'Red lantern' }) }).click();
    await page.getByRole('menuitem', { name: text('action.cancel') }).hover();
    await page.keyboard.press('.');
    const dialog = page.getByRole('dialog', { name: kit('command.title') });
    await dialog.getByText(`switchyard tasks cancel ${data.items[0]?.id}`).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: text('action.menu', { name: 'Red lantern' }) }).press('Enter');
    await page.getByRole('menuitem', { name: text('action.front') }).focus();
    await page.keyboard.press('.');
    await dialog.getByText(`switchyard tasks front ${data.items[0]?.id}`).waitFor();
  });

  it('names each column for a screen reader, that of the menus as well', async () => {
    await page.goto('/tasks');
    await page.getByRole('columnheader', { name: text('column.actions') }).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  it('opens the panel of a row with a key, and closes it with the same key', async () => {
    await page.goto('/tasks?status=pending');
    await page.getByRole('link', { name: 'Red lantern' }).waitFor();
    await page.keyboard.press(']');
    const panel = page.getByRole('dialog', { name: 'Red lantern' });
    await panel.waitFor();
    expect(new URL(page.url()).searchParams.has('open')).toBe(true);
    await page.keyboard.press(']');
    await panel.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?status=pending');
  });

  it('keeps filters under a name in the account of the user, and brings a deleted view back', async () => {
    await page.goto('/tasks?status=pending&q=lantern');
    await openViews(page);
    await page.getByRole('menuitem', { name: text('view.save') }).click();
    const dialog = openLayer(page);
    await dialog.getByRole('textbox', { name: text('view.name') }).fill('Lanterns');
    await dialog.getByRole('button', { name: text('view.submit') }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Lanterns', exact: true }).waitFor();

    const { page: elsewhere } = await stage.visit({ session: admin });
    await elsewhere.goto('/tasks');
    await openViews(elsewhere);
    await elsewhere.getByRole('menuitem', { name: 'Lanterns' }).click();
    await elsewhere.getByRole('link', { name: 'Red lantern' }).waitFor();
    expect(new URL(elsewhere.url()).search).toBe('?status=pending&q=lantern');

    await openViews(page, 'Lanterns');
    await page.getByRole('menuitem', { name: text('view.manage') }).click();
    await dialog.getByRole('button', { name: text('view.deleteOf', { name: 'Lanterns' }) }).click();
    await page
      .getByText(text('view.deleted', { name: 'Lanterns' }))
      .first()
      .waitFor();
    await page.getByRole('button', { name: kit('toast.undo') }).click();
    await page.getByRole('button', { name: 'Lanterns', exact: true }).waitFor();
  });

  it('shows a view to no other user', async () => {
    const member = await stage.member('viewer@example.com');
    const { page: theirs } = await stage.visit({ session: member });
    await theirs.goto('/tasks');
    await openViews(theirs);
    await theirs.getByRole('menuitem', { name: text('view.save') }).waitFor();
    expect(await theirs.getByRole('menuitem').count()).toBe(1);
  });

  it('shows the columns that the browser has chosen, and calls the user of a task by address', async () => {
    await page.goto('/tasks');
    const header = (name: string) => page.getByRole('columnheader', { name: text(`column.${name}`) });
    await header('ran').waitFor();
    expect(await header('owner').count()).toBe(0);
    await page.getByRole('button', { name: text('column.choose') }).click();
    await page.getByRole('menuitemcheckbox', { name: text('column.ran') }).click();
    await page.getByRole('menuitemcheckbox', { name: text('column.owner') }).click();
    await header('ran').waitFor({ state: 'detached' });
    await page.reload();
    await header('owner').waitFor();
    expect(await header('ran').count()).toBe(0);
    const { email } = await admin.get<{ email: string }>('/api/v1/auth/me');
    await page.getByRole('cell', { name: email }).first().waitFor();
    await page.getByRole('button', { name: text('column.choose') }).click();
    await page.getByRole('menuitemcheckbox', { name: text('column.ran') }).click();
    await header('ran').waitFor();
    for (const width of [1280, 1024]) {
      await page.setViewportSize({ width, height: 800 });
      const cell = await page.getByRole('cell').filter({ hasText: 'Red lantern' }).first().boundingBox();
      expect(cell?.width, `the name at ${width} pixels`).toBeGreaterThan(60);
    }
  });
});
