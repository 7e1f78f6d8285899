import { fileURLToPath } from 'node:url';
import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from './support/axe.ts';
import { beyondWindow } from './support/beyond-window.ts';
import { chatSteps, threadApi } from './support/chat-steps.ts';
import { type Look, Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('chat');
const agents = wordsOf('en')('agents');
const { say, button, edit } = chatSteps(text);

interface Run {
  assistant_id: string;
  status: string;
  kwargs?: { context?: object };
}

describe.runIf(canBrowse)('own graphs in a browser', () => {
  let stage: Stage;
  let admin: HttpSession;
  let faults: string[] = [];

  beforeAll(async () => {
    stage = await Stage.open({ project: fileURLToPath(new URL('own-project', import.meta.url)) });
    admin = await stage.admin();
  });
  afterEach(async () => {
    await stage.closePages();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(() => stage?.close());

  const visit = async (look: Look = {}): Promise<Page> => {
    const watched = await stage.visit({ session: admin, ...look });
    faults = watched.faults;
    return watched.page;
  };
  const choose = async (page: Page, name: string) => {
    await page.getByRole('button', { name: text('agent.menu') }).click();
    await page.getByRole('menuitem', { name, exact: true }).click();
  };
  const question = (page: Page) => page.getByRole('region', { name: text('question.label') });
  const runsIn = (page: Page) => admin.get<Run[]>(`${threadApi(page)}/runs`);
  const assistants = async (page: Page) => (await runsIn(page)).map(({ assistant_id }) => assistant_id);
  const begin = async (page: Page, name: string) => {
    await page.goto('/chat');
    await choose(page, name);
  };

  it('are listed with file and state, and one that cannot be loaded with the reason', async () => {
    const page = await visit();
    await page.goto('/agents');
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await row('report.ts:graph').getByText(agents('graphs.loaded')).waitFor();
    await row('gone.ts').getByText(agents('graphs.refused')).waitFor();
    expect(await row('gone.ts').innerText()).toContain('gone.ts: there is no such file');
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: agents('talkTo', { name: 'two' }) }).click();
    await page.getByText(text('first.graph')).waitFor();
    await page.getByRole('button', { name: `two: ${text('agent.menu')}` }).waitFor();
  });

  it('that take no messages have a form for input and settings, and a card for a question of any form', async () => {
    const page = await visit();
    await begin(page, 'report');
    const form = page.getByRole('form', { name: text('graph.input') });
    await form.getByLabel('topic').fill('tea');
    await form.getByText(text('graph.settings')).click();
    await form.getByLabel('tone').click();
    await page.getByRole('option', { name: 'warm' }).click();
    await button(form, 'graph.run').click();
    await page.waitForURL(/\/chat\/.+/);
    await page.getByText('A warm report about tea on 2 pages.').waitFor();
    await question(page).getByText('Is this report good enough?').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await button(question(page), 'question.send').click();
    await question(page).getByText(wordsOf('en')('kit/fields')('problem.required')).waitFor();
    await question(page).getByRole('textbox', { name: 'grade' }).fill('1');
    await button(question(page), 'question.send').click();
    await page.getByText('A warm report about tea on 2 pages. Grade 1.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'tea' }).waitFor();

    await button(form, 'graph.again').click();
    await form.getByLabel('topic').fill('rain');
    await button(form, 'graph.run').click();
    await page.getByText('A warm report about rain on 2 pages.').waitFor();
    expect(await assistants(page)).toEqual(['report', 'report', 'report']);
  });

  it('ask several questions at once, and wait where they stop', async () => {
    const page = await visit();
    await begin(page, 'two');
    await say(page, 'hello');
    await page.waitForURL(/\/chat\/.+/);
    await expect.poll(() => question(page).count()).toBe(2);
    const asks = (word: string) => question(page).filter({ hasText: word });
    await asks('colour').getByLabel(text('question.answer')).fill('blue');
    await button(asks('colour'), 'question.send').click();
    await button(asks('size'), 'question.no').click();
    await page.getByText('colour: "blue", size: false').waitFor();
    await question(page)
      .getByText(text('question.stop', { steps: 'end' }))
      .waitFor();
    await button(page, 'question.goOn').click();
    await page.getByText('All done.').waitFor();
    expect(await assistants(page)).toEqual(['two', 'two', 'two']);
  });

  it('go on in their thread in every way, whatever this browser has chosen since', async () => {
    const page = await visit();
    const { thread_id: threadId } = await admin.post<{ thread_id: string }>('/api/threads', {});
    const input = { messages: [{ role: 'user', content: 'hi' }] };
    await admin.post(`/api/threads/${threadId}/runs/wait`, { assistant_id: 'two', input });
    await page.goto('/chat');
    await choose(page, text('agent.lead'));
    await page.goto(`/chat/${threadId}`);
    await page.getByRole('button', { name: `two: ${text('agent.menu')}` }).waitFor();
    const counted = async (count: number) =>
      expect
        .poll(async () => (await runsIn(page)).filter(({ status }) => status !== 'running').length)
        .toBe(count);
    await say(page, 'once more');
    await counted(2);
    await edit(page, 'in other words');
    await counted(3);
    await button(page, 'turn.again').click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: text('replace.regenerate.confirm') })
      .click();
    await counted(4);
    expect(new Set(await assistants(page))).toEqual(new Set(['two']));

    await choose(page, text('agent.lead'));
    await say(page, 'what can you do?');
    await counted(5);
    expect((await assistants(page))[0]).toBe('lead_agent');
    await page.reload();
    await page
      .getByRole('button', { name: new RegExp(`^${text('agent.lead')}.*${text('agent.menu')}$`) })
      .waitFor();
  });

  it.each([
    { width: 1280, theme: 'light', locale: 'en' },
    { width: 360, theme: 'dark', locale: 'zh-CN' },
  ] as const)('fit the window of $width px, in $locale', async (look) => {
    const page = await visit(look);
    const chat = wordsOf(look.locale)('chat');
    await page.goto('/chat?agent=report');
    const form = page.getByRole('form', { name: chat('graph.input') });
    await form.getByLabel('topic').fill('tea');
    expect(await beyondWindow(page)).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await form.getByRole('button', { name: chat('graph.run') }).click();
    await page.getByRole('region', { name: chat('question.label') }).waitFor();
    expect(await beyondWindow(page)).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.goto('/agents');
    await page.getByText('report.ts:graph').waitFor();
    expect(await beyondWindow(page)).toEqual([]);
  });
});
