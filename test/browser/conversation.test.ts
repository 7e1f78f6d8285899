import { createHash } from 'node:crypto';
import { canBrowse } from '@switchyard/dev-env/chromium';
import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chatSteps, threadApi } from './support/chat-steps.ts';
import { addBoxes, type Box } from './support/fleet.ts';
import { openLayer } from './support/open-layer.js';
import {
  type ScriptedProvider,
  startScriptedProvider,
  storyBegins,
  storyEnds,
} from './support/scripted-provider.ts';
import { Stage } from './support/stage.ts';
import { wordsOf } from './support/words.ts';

const text = wordsOf('en')('chat');
const { ask, say, button, edit } = chatSteps(text);

interface Message {
  id: string;
  type: string;
  content: string;
  additional_kwargs?: Record<string, unknown>;
}

interface Run {
  run_id: string;
  context_tokens: number | null;
  status: string;
}

describe.runIf(canBrowse)('a conversation in a browser', () => {
  let provider: ScriptedProvider;
  let stage: Stage;
  let admin: HttpSession;
  let boxes: Box[];
  let faults: string[] = [];

  beforeAll(async () => {
    provider = await startScriptedProvider();
    const conversation = { workflow_approval: 'always', workflow_price_per_hour: 3_600 };
    stage = await Stage.open({ settings: provider.settings({ conversation }) });
    admin = await stage.admin();
    boxes = await addBoxes(admin, ['box-a'], 20);
  });
  afterEach(async () => {
    provider.goOn();
    await stage.closePages();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(async () => {
    await stage?.close();
    await provider?.close();
    await Promise.all((boxes ?? []).map((box) => box.close()));
  });

  /** Returns how much of the page lies below what is seen, in pixels. */
  const beyondSight = (page: Page): Promise<number> =>
    page.evaluate(() => {
      const { scrollTop, clientHeight, scrollHeight } = document.documentElement;
      return scrollHeight - clientHeight - scrollTop;
    });
  const visit = async (statuses: number[] = []): Promise<Page> => {
    const watched = await stage.visit({ session: admin, statuses });
    faults = watched.faults;
    return watched.page;
  };
  const stored = async (page: Page): Promise<Message[]> => {
    const { values } = await admin.get<{ values: { messages?: Message[] } }>(`${threadApi(page)}/state`);
    return values.messages ?? [];
  };
  const said = async (page: Page) => (await stored(page)).map(({ type, content }) => [type, content]);
  const runs = (page: Page) => admin.get<Run[]>(`${threadApi(page)}/runs`);

  it('has a streamed answer once and whole after a reload in its middle', async () => {
    const page = await visit();
    await ask(page, 'Tell me a story');
    await page.getByText(storyBegins).waitFor();
    await page.reload();
    await page.getByText(storyBegins).waitFor();
    provider.goOn();
    await page.getByText(storyBegins + storyEnds).waitFor();
    await button(page, 'turn.again').waitFor();
    expect(await page.getByText(storyBegins).count()).toBe(1);
    expect(await said(page)).toEqual([
      ['human', 'Tell me a story'],
      ['ai', storyBegins + storyEnds],
    ]);
  });

  it('keeps what was said before a stop, with its buttons, after a reload too', async () => {
    const page = await visit();
    await ask(page, 'Tell me a story');
    await page.getByText(storyBegins).waitFor();
    await button(page, 'composer.stop').click();
    await page.getByText(text('turn.stopped'), { exact: true }).waitFor();
    expect((await stored(page)).at(-1)).toMatchObject({
      content: storyBegins,
      additional_kwargs: { stopped: true },
    });
    await page.reload();
    await page.getByText(storyBegins).waitFor();
    await page.getByText(text('turn.stopped'), { exact: true }).waitFor();
    for (const name of ['turn.again', 'turn.edit', 'turn.branch', 'turn.copy'])
      expect(await button(page, name).isVisible(), name).toBe(true);
    expect(await page.getByRole('img', { name: text('threads.asks') }).count()).toBe(0);
    expect((await runs(page))[0]?.status).toBe('interrupted');
  });

  it('opens at its end, when its messages are the last to come as well', async () => {
    const begun = await visit();
    await ask(begun, 'word '.repeat(3_000));
    await button(begun, 'turn.copy').waitFor();
    const address = begun.url();
    await stage.closePages();
    const page = await visit();
    const others = ['runs', 'answers', 'state'].map((part) =>
      page.waitForResponse((answer) => new RegExp(`/${part}(\\?|$)`).test(answer.url())),
    );
    await page.route(/\/messages\/page/, async (route) => {
      await Promise.all(others);
      await route.continue();
    });
    await page.goto(address);
    await button(page, 'turn.copy').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(2_000);
    await expect.poll(() => beyondSight(page)).toBeLessThanOrEqual(1);
  });

  it('stays at its end when suggestions come after the answer', async () => {
    const page = await visit();
    await page.route(/\/suggestions$/, async (route) => {
      await button(page, 'turn.copy').waitFor();
      await route.continue();
    });
    await ask(page, 'word '.repeat(3_000));
    await page.getByRole('button', { name: 'What next?' }).waitFor();
    await expect.poll(() => beyondSight(page)).toBeLessThanOrEqual(1);
  });

  it('is followed in a second window, word by word', async () => {
    const [one, other] = [await visit(), await visit()];
    await ask(one, 'hello');
    await one.getByText('You said: hello').waitFor();
    await other.goto(new URL(one.url()).pathname);
    await other.getByText('You said: hello').waitFor();
    await say(one, 'Tell me a story');
    await other.getByText(storyBegins).waitFor();
    provider.goOn();
    await other.getByText(storyBegins + storyEnds).waitFor();
    await one.getByText(storyBegins + storyEnds).waitFor();
    // A thread of the list may be named after the same question.
    expect(await other.getByRole('article').getByText('Tell me a story').count()).toBe(1);
    await expect.poll(async () => (await said(other)).length).toBe(4);
  });

  it('is followed in a window that is painted seldom: a run may be accepted and begin between two paintings', async () => {
    const [one, other] = [await visit(), await visit()];
    await ask(one, 'hello');
    await one.getByText('You said: hello').waitFor();
    await other.goto(new URL(one.url()).pathname);
    await other.getByText('You said: hello').waitFor();
    await other.evaluate(() => {
      window.requestAnimationFrame = (paint) => window.setTimeout(() => paint(performance.now()), 800);
    });
    await say(one, 'Tell me a story');
    await other.getByText(storyBegins).waitFor();
    provider.goOn();
    await other.getByText(storyBegins + storyEnds).waitFor();
  });

  it('runs a workflow when it is approved, and shows what the approval is about', async () => {
    const page = await visit();
    await ask(page, 'Make a picture');
    const card = page.getByRole('region', { name: text('approval.label', { name: 'run_workflow' }) });
    await card.getByRole('button', { name: text('approval.approve') }).waitFor();
    expect(await card.textContent()).toContain('Scripted picture');
    await page.getByText(text('tool.waiting'), { exact: true }).waitFor();
    expect(await page.getByText(text('tool.stopped'), { exact: true }).count()).toBe(0);
    expect(await tasksNamed(admin, 'Scripted picture')).toBe(0);
    await card.getByRole('button', { name: text('approval.approve') }).click();
    await page
      .getByRole('region', { name: /^Task / })
      .getByRole('img')
      .first()
      .waitFor();
    await expect.poll(() => tasksNamed(admin, 'Scripted picture')).toBe(1);
    await page.getByText(/^The tool said/).waitFor();
    expect(await card.count()).toBe(0);
  });

  it('says what a workflow is expected to cost before it is approved', async () => {
    const page = await visit();
    await ask(page, 'Make a picture');
    const card = page.getByRole('region', { name: text('approval.label', { name: 'run_workflow' }) });
    await card.getByText(/\$/).first().waitFor();
  });

  it('tells the agent why a workflow was rejected, and runs nothing', async () => {
    const page = await visit();
    const before = await tasksNamed(admin, 'Scripted picture');
    await ask(page, 'Make a picture');
    await page.getByLabel(text('approval.reason')).fill('Too dear');
    await button(page, 'approval.reject').click();
    await page.getByText(/^The tool said: .*Too dear/).waitFor();
    expect(await tasksNamed(admin, 'Scripted picture')).toBe(before);
    expect((await said(page)).map(([type]) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
  });

  it('answers a question of the agent by a button', async () => {
    const page = await visit();
    await ask(page, 'Ask me a question');
    await page.getByRole('button', { name: 'red', exact: true }).click();
    await page.getByText('You said: red').waitFor();
    expect(await page.getByRole('button', { name: 'red', exact: true }).isDisabled()).toBe(true);
    expect((await said(page)).slice(-2)).toEqual([
      ['human', 'red'],
      ['ai', 'You said: red'],
    ]);
  });

  it('has the lines of a sub-agent after a reload as well', async () => {
    const page = await visit();
    await ask(page, 'Send a helper');
    const lines = page.getByRole('group').filter({ hasText: 'Look at the boxes' });
    await page.getByText(/^The tool said: Task Succeeded/).waitFor();
    await page.reload();
    await lines.getByText('Look at the boxes').click();
    await lines.getByText('I looked at every box.', { exact: true }).waitFor();
    await lines.getByText(text('subagent.steps', { count: 1 })).waitFor();
  });

  it('shows the steps of a plan, and what is done of them', async () => {
    const page = await visit();
    await ask(page, 'Make a plan');
    await page.getByText(text('todos.label', { done: 1, count: 2 })).waitFor();
    await page.getByText('Cut', { exact: true }).waitFor();
    const { values } = await admin.get<{ values: { todos: object[] } }>(`${threadApi(page)}/state`);
    expect(values.todos).toHaveLength(2);
  });

  it('sends files that were dropped and pasted with the first message', async () => {
    const page = await visit();
    await page.goto('/chat');
    const threads = async () => (await admin.post<object[]>('/api/threads/search', {})).length;
    const before = await threads();
    const field = page.getByRole('textbox', { name: text('composer.message') });
    await field.focus();
    await give(page, 'drop', 'dropped.txt');
    await page.getByText('dropped.txt', { exact: true }).waitFor();
    await give(page, 'paste', 'pasted.txt');
    await page.getByText('pasted.txt', { exact: true }).waitFor();
    // A file alone makes no conversation, and what is typed next goes into the message.
    expect(await threads()).toBe(before);
    expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
    await say(page, 'Look at these');
    await page.getByText('You said: Look at these').waitFor();
    const { files } = await admin.get<{ files: { filename: string }[] }>(`${threadApi(page)}/uploads/list`);
    expect(files.map(({ filename }) => filename).sort()).toEqual(['dropped.txt', 'pasted.txt']);
    const [first] = await stored(page);
    expect(first?.additional_kwargs).toMatchObject({
      files: [{ filename: 'dropped.txt' }, { filename: 'pasted.txt' }],
    });
    await page.reload();
    await page.getByRole('link', { name: 'dropped.txt' }).waitFor();
  });

  it('edits a message, and makes an answer again', async () => {
    const page = await visit();
    await ask(page, 'first words');
    await page.getByText('You said: first words').waitFor();
    await edit(page, 'other words');
    await page.getByText('You said: other words').waitFor();
    await expect.poll(() => page.getByText('first words').count()).toBe(0);
    expect(await said(page)).toEqual([
      ['human', 'other words'],
      ['ai', 'You said: other words'],
    ]);
    const asked = provider.requests.length;
    await button(page, 'turn.again').click();
    const dialog = openLayer(page);
    await dialog.getByRole('button', { name: text('replace.regenerate.confirm') }).click();
    await expect
      .poll(async () => (await runs(page)).filter(({ status }) => status === 'success').length)
      .toBe(3);
    expect(provider.requests.length).toBeGreaterThan(asked);
    await expect.poll(() => page.getByText('You said: other words').count()).toBe(1);
    expect(await said(page)).toHaveLength(2);
  });

  it('branches after a warning, and the branch goes its own way', async () => {
    const page = await visit();
    await ask(page, 'the trunk');
    await page.getByText('You said: the trunk').waitFor();
    const trunk = threadApi(page);
    await button(page, 'turn.branch').click();
    const dialog = openLayer(page);
    await dialog.getByText(text('replace.branch.effect')).waitFor();
    await dialog.getByRole('button', { name: text('replace.branch.confirm') }).click();
    await expect.poll(() => threadApi(page)).not.toBe(trunk);
    await page.getByText('You said: the trunk').waitFor();
    await say(page, 'the twig');
    await page.getByText('You said: the twig').waitFor();
    expect(await said(page)).toHaveLength(4);
    const { values } = await admin.get<{ values: { messages: object[] } }>(`${trunk}/state`);
    expect(values.messages).toHaveLength(2);
  });

  it('says of each turn what it has used and cost, as the API does', async () => {
    const page = await visit();
    await ask(page, 'what does it cost');
    await page.getByText('You said: what does it cost').waitFor();
    await button(page, 'turn.again').waitFor();
    const [run] = await runs(page);
    const thread = threadApi(page).split('/').at(-1);
    const listed = () =>
      admin.get<{ runs: { run_id: string; cost: number }[] }>(`/api/console/runs?thread_id=${thread}`);
    const { cost } = (await listed()).runs.find(({ run_id }) => run_id === run?.run_id) ?? {};
    expect(cost).toBeGreaterThan(0);
    const facts = page.getByRole('link', { name: / in · / });
    await facts.getByText(`$${cost?.toFixed(2)}`).waitFor();
    await facts.getByText(text('usage.contextTokens', { tokens: run?.context_tokens ?? -1 })).waitFor();
  });

  it('changes a text that the agent has made, and not one that has changed meanwhile', async () => {
    const page = await visit([412]);
    await ask(page, 'Write a report');
    await page.getByText(/^The tool said/).waitFor();
    await button(page, 'files.open').click();
    const edit = page.getByRole('button', { name: text('files.editOf', { name: 'report.md' }) });
    const dialog = openLayer(page).filter({ hasText: text('files.content') });
    const change = async (words: string): Promise<void> => {
      await dialog.getByRole('textbox', { name: text('files.content') }).fill(words);
      await dialog.getByRole('button', { name: text('files.save') }).click();
    };
    const report = `${threadApi(page)}/artifacts/mnt/user-data/outputs/report.md`;
    const stored = async () =>
      (await fetch(new URL(report, stage.url), { headers: { cookie: admin.cookieHeader } })).text();
    await edit.click();
    await change('# Better');
    await dialog.waitFor({ state: 'detached' });
    expect(await stored()).toBe('# Better');
    await edit.click();
    await dialog.getByRole('textbox', { name: text('files.content') }).waitFor();
    const expected_sha256 = createHash('sha256').update('# Better').digest('hex');
    await admin.put(report, { content: '# Theirs', expected_sha256 });
    await change('# Mine');
    await dialog.getByRole('alert').waitFor();
    expect(await stored()).toBe('# Theirs');
  });

  it('is named in the breadcrumb as in its heading', async () => {
    const page = await visit();
    await ask(page, 'hello');
    await page.getByText('You said: hello').waitFor();
    const breadcrumb = page.getByRole('navigation', { name: wordsOf('en')('app')('breadcrumb') });
    const heading = page.getByRole('heading', { level: 1 });
    await expect
      .poll(async () => (await breadcrumb.textContent())?.endsWith((await heading.textContent()) ?? '?'))
      .toBe(true);
  });

  it('stores a rating with its comment', async () => {
    const page = await visit();
    await ask(page, 'rate me');
    await page.getByText('You said: rate me').waitFor();
    await button(page, 'turn.good').click();
    await openLayer(page).getByRole('textbox').fill('Well said');
    await openLayer(page)
      .getByRole('button', { name: text('turn.saveComment') })
      .click();
    const [run] = await runs(page);
    const feedback = () =>
      admin.get<{ rating: number; comment: string | null }[]>(
        `${threadApi(page)}/runs/${run?.run_id}/feedback`,
      );
    await expect.poll(async () => (await feedback()).at(0)?.comment).toBe('Well said');
    expect((await feedback()).at(0)?.rating).toBe(1);
  });
});

async function give(page: Page, how: 'drop' | 'paste', name: string): Promise<void> {
  const composer = page.getByRole('textbox', { name: text('composer.message') });
  await composer.evaluate(
    (element, [kind, file]) => {
      const data = new DataTransfer();
      data.items.add(new File(['some words'], file, { type: 'text/plain' }));
      const init = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        kind === 'drop'
          ? new DragEvent('drop', { ...init, dataTransfer: data })
          : new ClipboardEvent('paste', { ...init, clipboardData: data }),
      );
    },
    [how, name] as const,
  );
}

async function tasksNamed(admin: HttpSession, name: string): Promise<number> {
  const path = `/api/tasks?limit=1&q=${encodeURIComponent(name)}`;
  return (await admin.get<{ data: { total: number } }>(path)).data.total;
}
