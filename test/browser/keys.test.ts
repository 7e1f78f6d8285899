import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addBoxes, type Box, longGraph } from './support/fleet.ts';
import { makeObjects } from './support/objects.ts';
import { openLayer } from './support/open-layer.js';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');
const kit = words('kit');
const keys = words('app');

/** A page with a list, and what Enter opens there. */
interface List {
  address: string;
  opens: 'dialog' | 'menu' | 'status' | RegExp | null;
  /** What `.` shows of the row. */
  command?: RegExp;
}

const lists: readonly List[] = [
  { address: '/tasks', opens: 'dialog', command: /^switchyard tasks get \S+$/ },
  { address: '/instances', opens: /\/instances\/127/, command: /^switchyard instances show 127\S+$/ },
  { address: '/instances?view=journal', opens: /\/instances\/127/, command: /--events$/ },
  { address: '/workflows', opens: /\/workflows\/./, command: /^switchyard workflows show \S+$/ },
  { address: '/gallery', opens: 'dialog', command: /^switchyard files recipe \S+$/ },
  { address: '/runs', opens: /\/runs\/.+\/./, command: /^switchyard runs show \S+ \S+$/ },
  { address: '/chat', opens: /\/chat\/./, command: /^switchyard threads show \S+$/ },
  { address: '/users', opens: 'menu', command: /^switchyard users list --search \S+@\S+$/ },
  { address: '/tokens', opens: null, command: /^switchyard tokens revoke \S+$/ },
  { address: '/webhooks', opens: /\/webhooks\/./, command: /^switchyard webhooks deliveries \S+$/ },
  { address: '/models', opens: null },
  { address: '/mcp-servers', opens: 'status', command: /^switchyard mcp test \S+$/ },
  { address: '/skills', opens: 'dialog', command: /^switchyard skills show \S+$/ },
  { address: '/memory', opens: 'dialog' },
  { address: '/agents', opens: 'dialog', command: /^switchyard agents change \S+$/ },
  { address: '/audit', opens: 'dialog', command: /^switchyard audit --action \S+/ },
  { address: '/usage', opens: null },
];

describe.runIf(canBrowse)('a user with a keyboard', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let page: Page;
  let faults: string[] = [];
  let webhookId: string;

  beforeAll(async () => {
    stage = await Stage.open({
      settings: { version: 1, dispatch: { webhooks_to_private_addresses: true } },
    });
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a', 'box-b'], 5);
    webhookId = await fillLists(admin, stage);
    ({ page, faults } = await stage.visit({ session: admin }));
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  const open = async (address: string): Promise<number> => {
    await page.goto(address);
    await page.locator('main [data-row]').first().waitFor();
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    return page.locator('main [data-row]').filter({ visible: true }).count();
  };

  it.each(lists)(
    'walks $address with j and k, and opens a row with Enter',
    async ({ address, opens, command }) => {
      const count = await open(address);
      const steps: [string, number][] = [
        ['j', 0],
        ['j', Math.min(1, count - 1)],
        ['k', 0],
        ['k', 0],
      ];
      for (const [key, at] of steps) {
        await page.keyboard.press(key);
        expect([key, await placeOfFocus(page)]).toEqual([key, at]);
      }
      if (command) {
        await page.keyboard.press('.');
        const dialog = page.getByRole('dialog', { name: kit('command.title') });
        await dialog.getByText(command).waitFor();
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        await expect.poll(() => placeOfFocus(page)).toBe(0);
      }
      if (!command) {
        await page.keyboard.press('.');
        expect(await openLayer(page).count()).toBe(0);
      }
      const before = page.url();
      await page.keyboard.press('Enter');
      if (opens instanceof RegExp) await page.waitForURL(opens);
      else if (opens === 'status') await page.getByRole('main').getByRole('status').waitFor();
      else if (opens) await page.getByRole(opens).waitFor();
      else expect([page.url(), await openLayer(page).count()]).toEqual([before, 0]);
    },
  );

  it('goes from the rows of one list to those of the next', async () => {
    await open(`/webhooks/${webhookId}`);
    await page
      .getByRole('button', { name: words('webhooks')('deliveries.resend') })
      .first()
      .waitFor();
    const webhooks = 2;
    for (let pressed = 0; pressed <= webhooks; pressed++) await page.keyboard.press('j');
    expect(await placeOfFocus(page)).toBe(webhooks);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/tasks\//);
  });

  it('goes on from the row whose panel is open', async () => {
    await open('/tasks');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = openLayer(page);
    await panel.waitFor();
    await page.keyboard.press('j');
    expect(await placeOfFocus(page)).toBe(1);
    expect(await panel.count()).toBe(1);
    await page.keyboard.press(']');
    await panel.waitFor({ state: 'detached' });
  });

  it('keeps the focus on the button of a menu whose action is under way, which opens it no second time', async () => {
    const text = words('tasks');
    const made = await admin.get<{ data: { items: { id: string }[] } }>('/api/tasks?status=completed');
    await page.goto(`/tasks/${made.data.items[0]?.id}`);
    const trigger = page.getByRole('button', { name: text('again.label') });
    const menu = page.getByRole('menu', { name: text('again.label') });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    await page.route('**/api/files/*/again', async (route) => {
      await gate;
      await route.continue();
    });
    await trigger.press('Enter');
    await page.getByRole('menuitem', { name: text('again.same') }).press('Enter');
    await expect.poll(() => trigger.isDisabled()).toBe(true);
    await menu.waitFor({ state: 'detached' });
    expect(await trigger.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    open();
    await expect.poll(() => trigger.isDisabled()).toBe(false);
    expect(await menu.count()).toBe(0);
    await page.keyboard.press('Enter');
    await menu.waitFor();
    await page.keyboard.press('Escape');
    await page.unroute('**/api/files/*/again');
  });

  it('chooses a row with x, and goes on after a click on a checkbox', async () => {
    await open('/tasks');
    const boxesOfRows = page.locator('main [data-row]').getByRole('checkbox');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await expect.poll(() => boxesOfRows.nth(0).isChecked()).toBe(true);
    await page.keyboard.press('x');
    await expect.poll(() => boxesOfRows.nth(0).isChecked()).toBe(false);
    await boxesOfRows.nth(1).click();
    await page.keyboard.press('k');
    expect(await placeOfFocus(page)).toBe(0);
  });

  it('chooses pictures with x, and all up to another one with Shift', async () => {
    await open('/gallery');
    const pressed = page.locator('main [data-row] [aria-pressed="true"]');
    for (const key of ['j', 'x']) await page.keyboard.press(key);
    await expect.poll(() => pressed.count()).toBe(1);
    for (const key of ['j', 'j', 'Shift+X']) await page.keyboard.press(key);
    await expect.poll(() => pressed.count()).toBe(3);
  });

  it('moves nothing behind a dialog or while writing', async () => {
    await open('/tasks');
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: keys('keys.title') });
    await sheet.waitFor();
    await page.keyboard.press('j');
    expect(await placeOfFocus(page)).toBe(-1);
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('jx');
    expect(await placeOfFocus(page)).toBe(-1);
    expect(await page.getByRole('main').getByRole('searchbox').inputValue()).toBe('jx');
  });

  it.each([
    { address: '/tasks', shown: ['next', 'open', 'choose', 'rowCommand', 'panel'], absent: ['play'] },
    { address: '/users', shown: ['next', 'open', 'rowCommand'], absent: ['choose', 'panel', 'play'] },
    { address: '/tokens', shown: ['next', 'rowCommand', 'command'], absent: ['open', 'choose'] },
    { address: '/memory', shown: ['next', 'open'], absent: ['choose', 'rowCommand'] },
    {
      address: '/models',
      shown: ['next'],
      absent: ['open', 'choose', 'rowCommand', 'command', 'panel', 'play'],
    },
    { address: '/account', shown: ['help'], absent: ['next', 'open', 'choose', 'panel', 'play'] },
  ])('reads behind ? which keys do something on $address', async ({ address, shown, absent }) => {
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: keys('keys.title') });
    for (const key of shown) await sheet.getByText(keys(`keys.${key}`), { exact: true }).waitFor();
    for (const key of absent)
      expect([key, await sheet.getByText(keys(`keys.${key}`), { exact: true }).count()]).toEqual([key, 0]);
  });
});

/** Which of the rows of the page has the focus, or holds what has it; -1 when none does. */
function placeOfFocus(page: Page): Promise<number> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main [data-row]')]
      .filter((row) => row.checkVisibility())
      .findIndex((row) => row.contains(document.activeElement)),
  );
}

/** Makes at least one row for each list, and returns the webhook that has deliveries. */
async function fillLists(admin: HttpSession, stage: Stage): Promise<string> {
  const closedPort = 'http://127.0.0.1:9';
  const hook = await admin.post<{ data: { id: string } }>('/api/webhooks', { url: `${closedPort}/one` });
  await admin.post('/api/webhooks', { url: `${closedPort}/two`, events: ['task.failed'] });
  await makeObjects(admin);
  await admin.post('/api/tasks?wait=60', { workflow: longGraph(1, 3), name: 'Three pictures' });
  await admin.post('/api/workflows', { name: 'Another', workflow: longGraph(1) });
  await stage.member('second@example.com');
  for (const name of ['laptop', 'desk'])
    await admin.post('/api/v1/auth/tokens', { name, scopes: ['dispatch:read'] });
  const server = { type: 'http', url: `${closedPort}/mcp`, enabled: false, session_init_timeout: 1 };
  await admin.put('/api/mcp/config', { mcp_servers: { one: server, two: server } });
  for (const content of ['Likes red.', 'Likes blue.']) await admin.post('/api/memory/facts', { content });
  for (const name of ['painter', 'reader']) await admin.post('/api/agents', { name });
  return hook.data.id;
}
