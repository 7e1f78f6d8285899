import { canBrowse, otherMachine } from '@switchyard/dev-env/chromium';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chatSteps } from './support/chat-steps.ts';
import { dropFile } from './support/drop-file.ts';
import { longGraph } from './support/fleet.ts';
import { startScriptedProvider } from './support/scripted-provider.ts';
import { stageOfTests } from './support/stage-of-tests.ts';
import { wordsOf } from './support/words.ts';

const words = wordsOf('en');
const chat = words('chat');
const { ask, say } = chatSteps(chat);

describe.runIf(canBrowse)('a browser that comes over plain HTTP from another machine', () => {
  const tests = stageOfTests(async () => {
    const provider = await startScriptedProvider();
    // The gateway takes a name that it does not know for a foreign page's, since the requests come over loopback here.
    const server = { cors: { origins: [`http://${otherMachine}`] } };
    return { ...provider, settings: () => provider.settings({ server }) };
  });
  const visit = async (): Promise<Page> => {
    const page = await tests.visit({ host: otherMachine });
    await page.goto('/start');
    expect(await page.evaluate(() => [isSecureContext, 'randomUUID' in crypto])).toEqual([false, false]);
    return page;
  };

  it('signs in', async () => {
    const email = 'ada@example.com';
    await tests.stage.member(email);
    const { page, faults } = await tests.stage.visit({ host: otherMachine, statuses: [401] });
    const text = words('sign-in');
    await page.goto('/');
    await page.getByLabel(text('email')).fill(email);
    await page.getByRole('textbox', { name: text('password.label') }).fill('a quiet darkroom 7');
    await page.getByRole('button', { name: text('login.submit') }).click();
    await page.getByRole('heading', { level: 1, name: words('start')('title') }).waitFor();
    expect(faults).toEqual([]);
  });

  it('begins a conversation, goes on with it, and sends a file', async () => {
    const page = await visit();
    await ask(page, 'first words');
    await page.getByText('You said: first words').waitFor();
    await dropFile(page.getByRole('textbox', { name: chat('composer.message') }), {
      name: 'notes.txt',
      content: 'buy milk',
      type: 'text/plain',
    });
    await page.getByText('notes.txt', { exact: true }).waitFor();
    await say(page, 'further words');
    await page.getByText('You said: further words').waitFor();
    await page.getByRole('link', { name: 'notes.txt' }).waitFor();
  });

  it('saves a workflow and runs it', async () => {
    const text = words('workflows');
    const page = await visit();
    await page.goto('/workflows');
    await dropFile(page.getByText(text('import.hint')), {
      name: 'inverted.json',
      content: JSON.stringify(longGraph(2)),
    });
    await page.getByRole('textbox', { name: text('save.name') }).fill('Inverted');
    await page.getByRole('button', { name: text('save.submit') }).click();
    await page.getByRole('button', { name: text('run.start', { count: 1 }) }).click();
    await page
      .getByText(
        text('started.summary', { done: 1, count: 1, running: 0, stopping: 0, waiting: 0, failed: 0 }),
      )
      .waitFor();
  });

  it('talks, chooses and runs workflows where it keeps nothing for the page', async () => {
    const page = await visit();
    await page.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError');
        },
      });
    });
    await ask(page, 'kept nowhere');
    await page.getByText('You said: kept nowhere').waitFor();
    await page.getByRole('button', { name: new RegExp(chat('agent.menu')) }).click();
    await page.getByRole('menuitem', { name: chat('agent.plans') }).click();
    await say(page, 'chosen for the page');
    await page.getByText('You said: chosen for the page').waitFor();
    await page.goto('/workflows');
    await page.getByRole('link', { name: 'Inverted' }).first().click();
    await page.getByRole('button', { name: words('workflows')('run.start', { count: 1 }) }).waitFor();
  });
});
