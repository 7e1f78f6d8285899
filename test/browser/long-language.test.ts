import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagesWithoutObject } from './support/addresses.ts';
import { cutTexts } from './support/cut-texts.ts';
import { addBoxes, type Box, longGraph } from './support/fleet.ts';
import { buildPseudoConsole, type PseudoConsole } from './support/pseudo-console.ts';
import { pseudoText } from './support/pseudo-text.ts';
import { Stage } from './support/stage.ts';

describe('a text in the language that no one speaks', () => {
  it('is longer, has accents, and keeps what the page fills in', () => {
    expect(pseudoText('Save')).toMatch(/^\[Šåṽé.{2}\]$/);
    expect(pseudoText('{count, plural, one {# new} other {# more {name}}} of {total, number}')).toMatch(
      /^\[\{count, plural, one \{# ñéŵ\} other \{# ṁöŕé \{name\}\}\} öƒ \{total, number\} .+\]$/,
    );
  });
});

describe.runIf(canBrowse)('in a language with longer words', () => {
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let pseudo: PseudoConsole;
  let objects: string[];

  beforeAll(async () => {
    [stage, pseudo] = await Promise.all([Stage.open(), buildPseudoConsole()]);
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 5);
    objects = await makeObjects(admin);
  });
  afterAll(async () => {
    await stage?.close();
    pseudo?.remove();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  it.each([1280, 360])('no page cuts its texts at %i pixels', async (width) => {
    const cut: Record<string, string[]> = {};
    const { page } = await stage.visit({ session: admin, width });
    await pseudo.serve(page);
    const isQuiet = quietPage(page);
    await page.goto('/');
    for (const address of [...pagesWithoutObject, ...objects]) {
      await follow(page, address);
      await expect.poll(isQuiet).toBe(true);
      const found = await cutTexts(page);
      found.push(...(await beyondWindow(page)));
      if (found.length > 0) cut[address] = found;
    }
    await stage.closePages();
    expect(cut).toEqual({});
  });
});

/** Returns what makes the page wider than the window. */
function beyondWindow(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return [];
    const outside = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > innerWidth + 1,
    );
    return outside.slice(0, 5).map((element) => `beyond the window: ${element.outerHTML.slice(0, 160)}`);
  });
}

/** Goes to another page as a link does, so that the scripts are not read again. */
async function follow(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);
}

/** Returns a check that is true when the page has its heading and has asked for nothing since the last look. */
function quietPage(page: Page): () => Promise<boolean> {
  let [open, begun, seen] = [0, 0, -1];
  page.on('request', () => {
    open += 1;
    begun += 1;
  });
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', () => {
      open -= 1;
    });
  return async () => {
    const hasHeading = (await page.getByRole('heading', { level: 1 }).count()) > 0;
    const isQuiet = hasHeading && open === 0 && begun === seen;
    seen = begun;
    return isQuiet;
  };
}

/** Makes a task, a workflow and a conversation, and returns the addresses of their pages. */
async function makeObjects(admin: HttpSession): Promise<string[]> {
  const task = await admin.post<{ data: { id: string } }>('/api/tasks', { workflow: longGraph(3) });
  const workflow = await admin.post<{ data: { id: string } }>('/api/workflows', {
    name: 'Long',
    workflow: longGraph(3),
  });
  const { thread_id: thread } = await admin.post<{ thread_id: string }>('/api/threads', {});
  const input = { messages: [{ role: 'user', content: 'invert a picture' }] };
  const run = await admin.post<{ run_id: string }>(`/api/threads/${thread}/runs`, { input });
  await admin.get(`/api/threads/${thread}/runs/${run.run_id}/join`);
  return [
    `/tasks/${task.data.id}`,
    `/workflows/${workflow.data.id}`,
    `/chat/${thread}`,
    `/runs/${thread}/${run.run_id}`,
    `/runs/${thread}/${run.run_id}?view=events`,
  ];
}
