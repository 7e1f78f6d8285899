import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canBrowse } from '@switchyard/dev-env/chromium';
import { type FakeReply, type FakeRequest, startFakeOpenAi } from '@switchyard/dev-env/fake-openai';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { dropFile } from './support/drop-file.ts';
import { longGraph } from './support/fleet.ts';
import { openLayer } from './support/open-layer.js';
import { adminPassword } from './support/stage.ts';
import { stageOfTests } from './support/stage-of-tests.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');
const text = words('chat');
/** Each of these would set it, if it ran. */
const attack = 'window.attacked = true';
const spy = 'https://spy.example/pixel.png';

const markdown = `Before <script>${attack}</script>
<img src="x" onerror="${attack}"> <svg onload="${attack}"></svg>
<iframe srcdoc="<script>parent.attacked = true</script>"></iframe>

[a link](javascript:window.attacked=true) [another](data:text/html;base64,PHNjcmlwdD4=)
![a picture](${spy}) ![its reference][ref] <https://spy.example/>
![of nowhere](http://) ![of a broken address](http://[::1) [neither](http://[::1)

[ref]: ${spy} "${attack}"

After it all.`;
const files = {
  'evil.html': `<!doctype html><title>evil</title><img src="${spy}"><script>${attack}; opener.attacked = true</script>`,
  'evil.svg': `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="${attack}"><script>${attack}</script><image href="${spy}" width="9" height="9"/></svg>`,
};
const inOutputs = (name: string) => `/mnt/user-data/outputs/${name}`;
const long = (end: string) => `${'long words '.repeat(18_500)}${end}`;

/** A model that is not to be trusted. */
function answerOf({ messages }: FakeRequest): FakeReply {
  if (String(messages[0]?.content).startsWith('Write a title'))
    return { text: `<img src=x onerror="${attack}">` };
  const asked = messages.findLast(({ role }: { role: string }) => role === 'user');
  const question = JSON.stringify(asked?.content ?? '');
  const answered = messages
    .slice(messages.indexOf(asked))
    .filter(({ role }: { role: string }) => role === 'tool');
  if (question.includes('long words')) return { text: long('the end of the answer') };
  if (!question.includes('files')) return { text: markdown };
  const call = fileCalls[answered.length];
  return call ? { calls: [{ id: `call_${messages.length}`, ...call }] } : { text: 'The files are there.' };
}

const fileCalls = [
  ...Object.entries(files).map(([name, content]) => ({
    name: 'write_file',
    args: { description: 'Writes', path: inOutputs(name), content },
  })),
  { name: 'present_files', args: { filepaths: Object.keys(files).map(inOutputs) } },
];

async function startHostileProvider() {
  const provider = await startFakeOpenAi(answerOf);
  const model = { base_url: provider.url, api_key: 'sk-1', model: 'hostile-1' };
  return { ...provider, settings: () => ({ version: 1, models: { hostile: model } }) };
}

describe.runIf(canBrowse)('what a stranger has written', () => {
  const on = stageOfTests(startHostileProvider);
  beforeAll(() => on.admin.post('/api/queue/pause', { scope: 'all' }));
  const visit = (statuses: number[] = []) => on.visit({ statuses });
  const attacked = (page: Page) => page.evaluate(() => 'attacked' in window);
  const ask = async (page: Page, question: string): Promise<void> => {
    await page.goto('/chat');
    const composer = page.getByRole('textbox', { name: text('composer.message') });
    await composer.fill(question);
    await composer.press('Enter');
  };

  it('is text in a conversation: no script, no frame, no picture of another site, no link that runs', async () => {
    const page = await visit();
    await ask(page, 'Say it');
    await page.getByText('After it all.').waitFor();
    await page.getByText(`<img src="x" onerror="${attack}">`).first().waitFor();
    const said = page.getByRole('article');
    expect(await said.locator('script, iframe, svg[onload], img').count()).toBe(0);
    const links = await said
      .getByRole('link')
      .evaluateAll((found) => found.map((link) => (link as HTMLAnchorElement).href));
    expect(links.filter((link) => !/^https?:/.test(link))).toEqual([]);
    expect(links).toContain(spy);
    await said.getByRole('link', { name: 'of a broken address' }).waitFor();
    await page.getByRole('button', { name: text('turn.good') }).waitFor();
    await page.reload();
    await page.getByText('After it all.').waitFor();
    expect(await attacked(page)).toBe(false);
  });

  it('is a file to download when a browser could run it', async () => {
    const page = await visit();
    await ask(page, 'Make files');
    await page.getByText('The files are there.').waitFor();
    await page.getByRole('button', { name: text('files.open'), exact: true }).click();
    const panel = openLayer(page);
    for (const name of Object.keys(files)) {
      const address = await panel.getByRole('link', { name }).getAttribute('href');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        expect(page.goto(address ?? '')).rejects.toThrow('Download is starting'),
      ]);
      expect(download.suggestedFilename()).toBe(name);
    }
    expect(await attacked(page)).toBe(false);
  });

  it('is cut when it is very long, with the rest one click away', async () => {
    const page = await visit();
    const thread = await on.admin.post<{ thread_id: string }>('/api/threads', {});
    const question = { messages: [{ role: 'user', content: long('the end of the question') }] };
    await on.admin.post(`/api/threads/${thread.thread_id}/runs/wait`, {
      assistant_id: 'lead_agent',
      input: question,
    });
    await page.goto(`/chat/${thread.thread_id}`);
    const more = page.getByRole('button', { name: words('kit')('markdown.showAll') });
    await expect.poll(() => more.count()).toBe(2);
    for (const end of ['the end of the question', 'the end of the answer']) {
      expect(await page.getByRole('main').getByText(end).count(), end).toBe(0);
      await more.first().click();
      await page.getByRole('main').getByText(end).waitFor();
    }
  });

  it('is cut in an event of a megabyte of a run that was opened from a file', async () => {
    const [run] = (await on.admin.get<{ runs: { thread_id: string; run_id: string }[] }>('/api/console/runs'))
      .runs;
    const path = `/api/threads/${run?.thread_id}/runs/${run?.run_id}`;
    const page = await visit();
    const end = 'the end of the event';
    const event = {
      thread_id: run?.thread_id,
      run_id: run?.run_id,
      event_type: 'llm.ai.response',
      category: 'message',
      content: `${'x'.repeat(1_000_000)} ${end}`,
      metadata: {},
      seq: 1,
      created_at: '2030-01-01T00:00:00.000Z',
    };
    const file = {
      format: 'switchyard.run',
      version: 1,
      exported_at: event.created_at,
      live: false,
      run: { ...(await on.admin.get<object>(path)), first_human_message: `${'y'.repeat(1_000_000)} ${end}` },
      events: [event],
      spans: [],
      pictures: [],
      cut: { events: false, spans: false, pictures: false },
    };
    const name = join(on.stage.home, 'long-run.json');
    writeFileSync(name, JSON.stringify(file));
    await page.goto('/runs');
    await page.getByLabel(words('runs')('file.import')).setInputFiles(name);
    await page.getByRole('link', { name: words('runs')('view.events') }).click();
    await page.getByText('llm.ai.response').waitFor();
    expect((await page.getByRole('heading', { level: 1 }).textContent())?.length).toBeLessThan(200);
    await page.getByRole('combobox', { name: words('runs')('events.mode') }).click();
    await page.getByRole('option', { name: words('runs')('events.full') }).click();
    const more = page.getByRole('button', { name: words('kit')('text.showAll', { size: '1 MB' }) });
    await more.waitFor();
    expect((await page.getByRole('main').textContent())?.length).toBeLessThan(20_000);
    await more.click();
    await page.getByText(end).waitFor();
  });

  it('is a workflow of 5,000 nodes, of which some are shown and the others one click away', async () => {
    const graph = longGraph(4_998);
    const page = await visit();
    await page.goto('/workflows');
    await dropFile(page.getByText(words('workflows')('import.hint')), {
      name: 'huge.json',
      content: JSON.stringify(graph),
    });
    await page.getByText(words('workflows')('save.found', { count: 5_000, from: 'json' })).waitFor();
    const { data } = await on.admin.post<{ data: { id: string } }>('/api/tasks', {
      workflow: graph,
      name: 'Huge',
    });
    await page.goto(`/tasks/${data.id}`);
    const nodes = page.getByRole('table', { name: words('tasks')('nodes.title') }).getByRole('row');
    await expect.poll(() => nodes.count()).toBe(13);
    await page.getByRole('button', { name: words('tasks')('nodes.more', { count: 500 }) }).click();
    await expect.poll(() => nodes.count()).toBe(513);
  });

  it('waits behind the sign-in form when the session ends, and is sent from the same place after it', async () => {
    const session = await on.stage.member('guest@example.com');
    const page = await on.visit({ session, statuses: [401, 403] });
    await ask(page, 'Say it');
    await page.getByText('After it all.').waitFor();
    await page.getByRole('button', { name: text('turn.good') }).waitFor();
    const place = page.url();
    const composer = page.getByRole('textbox', { name: text('composer.message') });
    await composer.fill('A draft that was long in the making');
    const field = await composer.elementHandle();
    await session.post('/api/v1/auth/logout', {});
    // The sign-in form may hide the field by now.
    await field?.dispatchEvent('keydown', { key: 'Enter' });
    const signIn = words('sign-in');
    await page.getByText(signIn('login.ended')).waitFor();
    await page.getByLabel(signIn('password.label'), { exact: true }).fill(adminPassword);
    await page.getByRole('button', { name: signIn('login.submit') }).click();
    await composer.waitFor();
    expect(page.url()).toBe(place);
    expect(await composer.inputValue()).toBe('A draft that was long in the making');
    await composer.press('Enter');
    await page.getByRole('article').getByText('A draft that was long in the making').waitFor();
  });
});
