import type { HttpSession } from '@switchyard/dev-env/http-session';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Stage } from '../support/stage.ts';
import { bundled, HookChat, serve, withTalkingGraph } from './hook-page.ts';

const count = (to: number): string => Array.from({ length: to }, (_, index) => index + 1).join(' ');

interface HookPage {
  file: string;
  /**
   * True when a page that is opened during a later run says that it works. With its SDK 1.9.28, the hook of Svelte takes the end of
   * an earlier run, which is replayed just before, for the end of this one; later versions of the SDK do not.
   */
  saysThatItWorks: boolean;
}

/** Tests of one page, the same for each package that it can be written with. */
export function hookStory({ file, saysThatItWorks }: HookPage): void {
  let stage: Stage;
  let user: HttpSession;
  let script: string;

  beforeAll(async () => {
    stage = await Stage.open({ settings: withTalkingGraph });
    user = await stage.member('hooks@example.com');
    script = await bundled(file);
  });
  afterEach(() => stage?.closePages());
  afterAll(() => stage?.close());

  async function open(query = ''): Promise<{ page: Page; chat: HookChat; faults: string[] }> {
    const { page, faults } = await stage.visit({ session: user, statuses: [404] });
    await serve(page, script);
    await page.goto(`/hook-page${query}`);
    await expect.poll(() => page.locator('body').getAttribute('data-chat')).toBe('ready');
    return { page, chat: new HookChat(page), faults };
  }

  const threadOf = (page: Page): string => new URL(page.url()).search;

  it('sends a message and shows the answer while it is made', async () => {
    const { chat, faults } = await open();
    await chat.say('count to 40 every 50 ms');
    await expect.poll(async () => (await chat.lines())[1]).toMatch(/^ai: 1 2 3/);
    expect(await chat.state()).toBe('working');
    await expect.poll(() => chat.state()).toBe('idle');
    expect(await chat.lines()).toEqual(['human: count to 40 every 50 ms', `ai: ${count(40)}`]);
    expect(faults).toEqual([]);
  });

  it('goes on with the answer after a reload in the middle, once', async () => {
    const { page, chat, faults } = await open();
    await chat.say('count to 60 every 100 ms');
    await expect.poll(async () => (await chat.lines())[1]).toMatch(/ 5/);
    await page.reload();
    await expect.poll(async () => (await chat.lines())[1]).toMatch(/ 8/);
    await expect.poll(() => chat.state()).toBe('idle');
    expect(await chat.lines()).toEqual(['human: count to 60 every 100 ms', `ai: ${count(60)}`]);
    expect(faults).toEqual([]);
  });

  it('shows a question, also after a reload, and goes on with the answer', async () => {
    const { page, chat, faults } = await open();
    await chat.say('may I go?');
    await expect.poll(() => chat.questions().count()).toBe(1);
    await page.reload();
    await expect.poll(() => chat.questions().count()).toBe(1);
    await chat.press('Yes');
    await expect.poll(() => chat.lines()).toEqual(['human: may I go?', 'ai: Answered: yes']);
    await expect.poll(() => chat.questions().count()).toBe(0);
    await expect.poll(() => chat.state()).toBe('idle');
    expect(faults).toEqual([]);
  });

  it('goes on from an earlier checkpoint, as a branch beside the answer', async () => {
    const { page, chat, faults } = await open();
    await chat.say('first');
    await expect.poll(() => chat.lines()).toEqual(['human: first', 'ai: You said: first']);
    await expect.poll(() => chat.state()).toBe('idle');
    await chat.type('other');
    // The parent of the newest checkpoint, which this version of the hook gives for each message, is the one before the answer.
    await chat.press('Go on from before');
    const branch = ['human: first', 'human: other', 'ai: You said: other'];
    await expect.poll(() => chat.lines()).toEqual(branch);
    await page.reload();
    await expect.poll(() => chat.lines()).toEqual(branch);
    expect(faults).toEqual([]);
  });

  it('queues a message behind the one that is answered', async () => {
    const { chat, faults } = await open();
    await chat.say('count to 30 every 50 ms');
    await expect.poll(async () => (await chat.lines())[1]).toMatch(/^ai: 1/);
    await chat.say('second', 'Send later');
    await expect
      .poll(() => chat.lines())
      .toEqual([
        'human: count to 30 every 50 ms',
        `ai: ${count(30)}`,
        'human: second',
        'ai: You said: second',
      ]);
    expect(faults).toEqual([]);
  });

  it('stops a run, and goes on with the next message', async () => {
    const { page, chat, faults } = await open();
    await chat.say('count to 2000 every 50 ms');
    await expect.poll(async () => (await chat.lines())[1]).toMatch(/^ai: 1/);
    await chat.press('Stop');
    await expect.poll(() => chat.state()).toBe('idle');
    await chat.say('after it');
    await expect.poll(() => chat.lines()).toContain('ai: You said: after it');
    // This version of the hook leaves what the stopped run said on the screen until then.
    await page.reload();
    await expect
      .poll(() => chat.lines())
      .toEqual(['human: count to 2000 every 50 ms', 'human: after it', 'ai: You said: after it']);
    expect(faults).toEqual([]);
  });

  it('shows the same in a second tab, which follows the run live', async () => {
    const first = await open();
    await first.chat.say('hello');
    await expect.poll(async () => (await first.chat.lines()).length).toBe(2);
    await first.chat.say('count to 60 every 100 ms');
    await expect.poll(async () => (await first.chat.lines())[3]).toMatch(/^ai: 1/);
    const second = await open(threadOf(first.page));
    await expect.poll(async () => (await second.chat.lines())[3]).toMatch(/^ai: 1 2 3/);
    if (saysThatItWorks) expect(await second.chat.state()).toBe('working');
    for (const { chat } of [first, second]) {
      await expect.poll(async () => (await chat.lines())[3]).toBe(`ai: ${count(60)}`);
      await expect.poll(() => chat.state()).toBe('idle');
    }
    expect(await second.chat.lines()).toEqual(await first.chat.lines());
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  it('has two hooks on one thread that show the same', async () => {
    const first = await open();
    await first.chat.say('hello');
    await expect.poll(async () => (await first.chat.lines()).length).toBe(2);
    const { page, chat, faults } = await open(`${threadOf(first.page)}&double`);
    const other = new HookChat(page, 'second');
    await expect.poll(async () => (await other.lines()).length).toBe(2);
    await chat.say('count to 20 every 50 ms');
    await expect.poll(() => chat.lines()).toContain(`ai: ${count(20)}`);
    await expect.poll(() => chat.state()).toBe('idle');
    expect(faults).toEqual([]);
  });

  it('loses nothing and says nothing twice when the gateway is killed and started again under it', async () => {
    const { page, faults: _lostCalls } = await stage.visit({ session: user });
    await serve(page, script);
    await page.goto('/hook-page');
    const chat = new HookChat(page);
    await chat.say('count to 80 every 100 ms');
    await expect.poll(async () => (await chat.lines())[1]).toMatch(/ 5/);
    await stage.kill9();
    await stage.startAgain();
    const whole = ['human: count to 80 every 100 ms', `ai: ${count(80)}`];
    await expect.poll(async () => (await chat.lines()).slice(0, 2)).toEqual(whole);
    await expect.poll(() => chat.state()).toBe('idle');
    // The run was taken up again with a message of another id. This version of the hook keeps the unfinished one until then.
    await page.reload();
    await expect.poll(() => chat.lines()).toEqual(whole);
  });
}
