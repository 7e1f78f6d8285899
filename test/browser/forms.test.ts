import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { zip } from '../../packages/server/test/support/zip.ts';
import { addBoxes, type Box } from './support/fleet.ts';
import { openForm, openLayer } from './support/open-layer.js';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');

interface Settings {
  version: number;
  servers: { id: string; name: string; instances: object[] }[];
  healthCheck: Record<string, number>;
}

describe.runIf(canBrowse)('forms of the console', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let page: Page;
  let faults: string[] = [];

  beforeAll(async () => {
    stage = await Stage.open();
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 5);
    // 412 is how the gateway says that somebody else was faster.
    ({ page, faults } = await stage.visit({ session: admin, statuses: [412] }));
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await stage?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  const settings = async () => (await admin.get<{ data: Settings }>('/api/config')).data;

  it('of the settings join what two people changed, and ask where both changed the same', async () => {
    const text = words('settings');
    await page.goto('/settings');
    const name = page.getByRole('textbox', { name: text('server.name') });
    await name.fill('Mine');
    await page.getByLabel(text('health.interval')).fill('9');
    const { servers, healthCheck } = await settings();
    await admin.put('/api/config', {
      servers: servers.map((server) => ({ ...server, name: 'Theirs' })),
      healthCheck: { ...healthCheck, failures: 5 },
    });
    await page.getByRole('button', { name: text('save.review', { count: 2 }) }).click();
    await openLayer(page)
      .getByRole('button', { name: text('save.submit', { count: 2 }) })
      .click();
    const merge = openLayer(page).filter({ hasText: text('merge.title') });
    await merge.getByRole('radio', { name: new RegExp(text('merge.theirs')) }).check();
    await merge.getByRole('button', { name: text('merge.submit') }).click();
    await expect.poll(async () => (await settings()).healthCheck.interval).toBe(9);
    const saved = await settings();
    expect(saved.servers[0]?.name).toBe('Theirs');
    expect(saved.healthCheck.failures).toBe(5);
    await merge.waitFor({ state: 'detached' });
  });

  it('of a workflow offer a priority up to the one that the user may give', async () => {
    const label = words('workflows')('run.priority');
    const member = await stage.member('painter@example.com');
    for (const [session, highest] of [
      [member, '10'],
      [admin, '100'],
    ] as const) {
      const graph = {
        '1': { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 0 } },
      };
      const body = {
        name: 'portrait',
        workflow: {
          ...graph,
          '2': { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'x' } },
        },
      };
      const { data } = await session.post<{ data: { id: string } }>('/api/workflows', body);
      const { page: own } = await stage.visit({ session });
      await own.goto(`/workflows/${data.id}`);
      const priority = own.getByLabel(label);
      await expect.poll(() => priority.getAttribute('max')).toBe(highest);
      await priority.fill('1000');
      expect(await priority.inputValue()).toBe(highest);
    }
  });

  it('of an agent make and change one', async () => {
    const text = words('agents');
    await page.goto('/agents');
    const dialog = await openForm(page, text('create'));
    await dialog.getByLabel(text('form.name'), { exact: true }).fill('painter');
    await dialog.getByLabel(text('form.description')).fill('Paints');
    await dialog.getByRole('button', { name: text('form.create') }).click();
    await page.getByText('painter').first().waitFor();
    const agent = () => admin.get<{ name: string; description: string }>('/api/agents/painter');
    expect(await agent()).toMatchObject({ name: 'painter', description: 'Paints' });
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: text('editOf', { name: 'painter' }) }).click();
    await dialog.getByLabel(text('form.description')).fill('Paints at night');
    await dialog.getByRole('button', { name: text('form.save') }).click();
    await expect.poll(async () => (await agent()).description).toBe('Paints at night');
  });

  it('of the memory remember, change and forget a fact, and take the forgetting back', async () => {
    const text = words('memory');
    const facts = async () =>
      (await admin.get<{ facts: { content: string }[] }>('/api/memory')).facts.map(({ content }) => content);
    await page.goto('/memory');
    const dialog = await openForm(page, text('fact.add'));
    await dialog.getByRole('textbox', { name: text('fact.content') }).fill('Likes blue.');
    await dialog.getByRole('button', { name: text('fact.remember') }).click();
    await page.getByText('Likes blue.').waitFor();
    await expect.poll(facts).toEqual(['Likes blue.']);
    await page.getByRole('button', { name: text('fact.edit'), exact: true }).click();
    await dialog.getByRole('textbox', { name: text('fact.content') }).fill('Likes green.');
    await dialog.getByRole('button', { name: text('fact.save') }).click();
    await expect.poll(facts).toEqual(['Likes green.']);
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: text('fact.forget'), exact: true }).click();
    await expect.poll(facts).toEqual([]);
    await page.getByRole('button', { name: words('kit')('toast.undo') }).click();
    await expect.poll(facts).toEqual(['Likes green.']);
  });

  it('of the memory forget everything without a question, and take that back', async () => {
    const text = words('memory');
    const facts = async () => (await admin.get<{ facts: object[] }>('/api/memory')).facts;
    await admin.post('/api/memory/facts', { content: 'Likes red.', category: 'context', confidence: 0.9 });
    const before = (await facts()).length;
    await page.goto('/memory');
    await page.getByText('Likes red.').waitFor();
    await page.getByRole('button', { name: text('actions') }).click();
    await page.getByRole('menuitem', { name: text('clear.open') }).click();
    await expect.poll(facts).toEqual([]);
    expect(
      await openLayer(page)
        .filter({ hasText: text('clear.open') })
        .count(),
    ).toBe(0);
    await page
      .getByRole('dialog')
      .filter({ hasText: text('clear.done') })
      .getByRole('button', { name: words('kit')('toast.undo') })
      .click();
    await expect.poll(async () => (await facts()).length).toBe(before);
    await page.getByText('Likes red.').waitFor();
  });

  it('keep the focus on the button that sends them, which takes no second press meanwhile', async () => {
    const text = words('memory');
    await page.goto('/memory');
    const dialog = await openForm(page, text('fact.add'));
    const content = dialog.getByRole('textbox', { name: text('fact.content') });
    const send = dialog.getByRole('button', { name: text('fact.remember') });
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let sent = 0;
    await page.route('**/api/memory/facts', async (route) => {
      sent += 1;
      await gate;
      await route.fulfill({ status: 412, json: {} });
    });
    await content.fill('Likes grey.');
    await send.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('Enter');
    expect(await send.evaluate((element) => element === document.activeElement)).toBe(true);
    await dialog.getByRole('textbox', { name: text('fact.category') }).press('Enter');
    open();
    await dialog.getByRole('alert').waitFor();
    expect(sent).toBe(1);
    await page.unroute('**/api/memory/facts');
  });

  it('of a webhook add one, show its secret once, and switch it off', async () => {
    const text = words('webhooks');
    const webhooks = async () =>
      (await admin.get<{ data: { url: string; enabled: boolean }[] }>('/api/webhooks')).data;
    await page.goto('/webhooks');
    const dialog = await openForm(page, text('add'));
    const field = dialog.getByRole('textbox', { name: text('column.url') });
    // A form opens with the focus in its first field, so that nothing has to be clicked before the first word.
    await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
    await page.keyboard.type('https://example.org/hook');
    await dialog.getByRole('button', { name: text('submit') }).click();
    await openLayer(page).getByText(text('secret.lead')).waitFor();
    expect(await webhooks()).toMatchObject([{ url: 'https://example.org/hook', enabled: true }]);
    await page.keyboard.press('Escape');
    await page.getByRole('switch', { name: text('enabledOf', { url: 'https://example.org/hook' }) }).click();
    await expect.poll(async () => (await webhooks())[0]?.enabled).toBe(false);
  });

  it('of a skill install one, change its text unless somebody else has, and put an older text back', async () => {
    const text = words('skills');
    const skill = (about: string) => `---\nname: tidy\ndescription: ${about}\n---\n\nTidy up.\n`;
    await page.goto('/skills');
    await page.locator('input[type=file]').setInputFiles({
      name: 'tidy.skill',
      mimeType: 'application/zip',
      buffer: zip([{ name: 'SKILL.md', content: Buffer.from(skill('Tidies.')) }]),
    });
    await page.getByText(text('install.done', { name: 'tidy.skill' })).waitFor();
    await page.goto('/skills/tidy');
    await page.getByRole('button', { name: text('edit.open') }).click();
    const dialog = openLayer(page).filter({ hasText: text('edit.title', { name: 'tidy' }) });
    await dialog.getByRole('textbox').fill(skill('Tidies well.'));
    await dialog.getByRole('button', { name: text('edit.submit') }).click();
    const stored = () => admin.get<{ content: string }>('/api/skills/custom/tidy');
    await expect.poll(async () => (await stored()).content).toContain('Tidies well.');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: text('edit.open') }).click();
    await dialog.getByRole('textbox').fill(skill('Mine.'));
    await admin.put('/api/skills/custom/tidy', { content: skill('Theirs.') });
    await dialog.getByRole('button', { name: text('edit.submit') }).click();
    await dialog.getByText(text('edit.changed')).waitFor();
    expect((await stored()).content).toContain('Theirs.');
    await page.reload();
    await page
      .getByRole('button', { name: text('history.putBack') })
      .first()
      .click();
    await expect.poll(async () => (await stored()).content).toContain('Tidies well.');
  });
});
