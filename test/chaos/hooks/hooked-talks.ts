import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Line, Message, RunOnWire } from '../conversation-client.ts';
import type { LastingAddress } from '../lasting-address.ts';
import { type ChatPlace, legacyChat, todaysChat } from './chats.ts';
import { type HookView, HookWindow, type ShownMessage } from './hook-window.ts';

export const talkingGraph = fileURLToPath(new URL('../../browser/hooks/talking-graph.ts', import.meta.url));

/** About two seconds of work. */
const counting = 'count to 80 every 25 ms';
const asking = 'may I go on?';
const waiting = new Set(['pending', 'running']);
const pauseMs = 50;
/** A window that does not show its thread by then is named, and loaded again when it still waits for the thread, as its user does. */
const loadedWithinMs = 20_000;

interface Page {
  name: string;
  threadId: string;
  /** True when unfinished answers of an attempt that was killed may stay on the screen until a reload. */
  keepsUnfinished: boolean;
  open: () => HookWindow;
  window: HookWindow;
}

interface ThreadOnWire {
  messages: Message[];
  questions: number;
  /** The number of attempts that were killed. */
  abandoned: number;
}

/**
 * Two of today's hooks in two windows on one thread, and one of the legacy hooks, over all rounds. One of the windows is opened
 * again in each round, while the answer is made.
 */
export class HookedTalks {
  readonly #line: Line;
  readonly #address: LastingAddress;
  readonly #first: Page;
  readonly #second: Page;
  readonly #legacy: Page;
  reloads = 0;

  private constructor(
    line: Line,
    { address, threads }: { address: LastingAddress; threads: [string, string] },
  ) {
    this.#line = line;
    this.#address = address;
    const { url } = address;
    const [shared, own] = threads;
    const { token } = line;
    const today = (): HookWindow => new HookWindow(todaysChat({ url, token, threadId: shared }));
    const runs = new Map<string, string>();
    const place: ChatPlace = { url, token, threadId: own };
    const legacy = (): HookWindow => new HookWindow(legacyChat(place, runs));
    const todays = { threadId: shared, keepsUnfinished: true, open: today };
    this.#first = { ...todays, name: 'the first window', window: today() };
    this.#second = { ...todays, name: 'the second window', window: today() };
    this.#legacy = {
      name: 'the legacy hook',
      threadId: own,
      keepsUnfinished: false,
      open: legacy,
      window: legacy(),
    };
  }

  static async open(line: Line, address: LastingAddress): Promise<HookedTalks> {
    const threads = [randomUUID(), randomUUID()] as [string, string];
    for (const thread_id of threads) await line.ask('POST', '/api/threads', { thread_id });
    const talks = new HookedTalks(line, { address, threads });
    for (const { window } of talks.#pages) await window.until((view) => !view.isThreadLoading);
    return talks;
  }

  /** Resolves when both runs are known to their windows: an answer has begun, or a question is shown. */
  async begin(round: number): Promise<void> {
    const text = round % 2 === 1 ? counting : asking;
    await Promise.all(
      [this.#first, this.#legacy].map(async ({ window }) => {
        const shown = window.view.messages.length;
        const hasBegun = window.until(({ messages, questions }) => {
          const last = messages.at(-1);
          return questions > 0 || (messages.length > shown + 1 && last?.type === 'ai' && last.text !== '');
        });
        // One hook answers when its run has ended. A run that is killed by then is what the round is about.
        await Promise.race([hasBegun, window.view.say(text).then(() => hasBegun)]);
      }),
    );
    this.#open(this.#second);
  }

  /** Resolves when each window shows the end of its thread; a question gets its answer. */
  async settle(): Promise<void> {
    const shown = [];
    for (const page of this.#pages) shown.push(await this.#shows(page, await this.#ended(page.threadId)));
    if (shown.some(({ questions }) => questions > 0)) {
      await this.#first.window.view.answer('yes');
      await this.#legacy.window.view.answer('yes');
      // This version of the hook shows a question that was answered in another window until it is loaded again.
      this.#open(this.#second);
    }
    for (const page of this.#pages) await this.#shows(page, await this.#ended(page.threadId));
  }

  /** Returns the number of messages that stay on a screen until its window is loaded again. */
  async check(): Promise<number> {
    let unfinished = 0;
    for (const { name, threadId, keepsUnfinished, open, window } of this.#pages) {
      const { messages, abandoned } = await this.#ended(threadId);
      const wanted = messages.map(shownOf);
      const ids = window.view.messages.map(({ id }) => id);
      expect(ids, `${name} shows each message once`).toEqual([...new Set(ids)]);
      const stored = new Set(wanted.map(({ id }) => id));
      const others = window.view.messages.filter(({ id }) => !stored.has(id));
      expect(
        window.view.messages.filter(({ id }) => stored.has(id)),
        name,
      ).toEqual(wanted);
      expect(others.filter(({ type }) => !keepsUnfinished || type !== 'ai')).toEqual([]);
      expect(others.length, `answers in ${name} that are not stored`).toBeLessThanOrEqual(abandoned);
      unfinished += others.length;

      const reloaded = open();
      await reloaded.until((view) => !view.isThreadLoading && view.messages.length > 0);
      expect(reloaded.view.messages, `${name} when it is loaded again`).toEqual(wanted);
      expect(reloaded.view).toMatchObject({ isLoading: false, questions: 0 });
      reloaded.close();
    }
    return unfinished;
  }

  /** What is on the screens and in the threads, for a report. */
  async describe(): Promise<string> {
    const stored = [];
    for (const { name, threadId } of this.#pages) {
      const here = `/api/threads/${threadId}`;
      const runs = await this.#line.ask<RunOnWire[]>('GET', `${here}/runs?limit=1000`);
      const { status } = await this.#line.ask<{ status: string }>('GET', here);
      const said = runs.map((run) => `${run.status} in attempt ${run.attempt}`);
      stored.push(`thread of ${name}: ${status}, runs: ${said.join(', ')}`);
    }
    return [
      ...this.#pages.map(shownIn),
      ...stored,
      `unanswered: ${this.#address.unanswered.join(', ')}`,
    ].join('\n');
  }

  close(): void {
    for (const { window } of this.#pages) window.close();
  }

  get #pages(): Page[] {
    return [this.#first, this.#second, this.#legacy];
  }

  #open(page: Page): void {
    page.window.close();
    page.window = page.open();
  }

  /** Waits for the end of all runs of a thread, and for the state that the last one leaves. */
  async #ended(threadId: string): Promise<ThreadOnWire> {
    for (;;) {
      const here = `/api/threads/${threadId}`;
      const runs = await this.#line.ask<RunOnWire[]>('GET', `${here}/runs?limit=1000`);
      const { status } = await this.#line.ask<{ status: string }>('GET', here);
      if (!runs.some((run) => waiting.has(run.status)) && status !== 'busy') {
        const failed = runs.filter((run) => run.status === 'error' || run.status === 'timeout');
        expect(failed, `runs of ${threadId}`).toEqual([]);
        type State = { values: { messages?: Message[] }; tasks: { interrupts: unknown[] }[] };
        const { values, tasks } = await this.#line.ask<State>('GET', `${here}/state`);
        const questions = tasks.reduce((sum, { interrupts }) => sum + interrupts.length, 0);
        const abandoned = runs.reduce((sum, { attempt }) => sum + attempt - 1, 0);
        return { messages: values.messages ?? [], questions, abandoned };
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** A window that says that it has lost its gateway is loaded again, as its user does. */
  async #shows(page: Page, thread: ThreadOnWire): Promise<ThreadOnWire> {
    const { messages, questions } = thread;
    const isShown = (view: HookView): boolean =>
      !view.isLoading &&
      !view.isThreadLoading &&
      view.questions === questions &&
      messages.every(({ id, content }) =>
        view.messages.some((shown) => shown.id === id && shown.text === content),
      );
    for (;;) {
      // A question of an attempt that was killed has another id than the one of the next attempt, and no event takes it back.
      const isStale = (view: HookView): boolean =>
        page.keepsUnfinished && !view.isLoading && !view.isThreadLoading && view.questions > questions;
      const isOver = page.window.until((view) => isShown(view) || view.error !== undefined || isStale(view));
      const isLate = await Promise.race([isOver, sleep(loadedWithinMs, true, { ref: false })]);
      if (isShown(page.window.view)) return thread;
      if (isLate === true) {
        console.log(`late: ${shownIn(page)}; unanswered: ${this.#address.unanswered.join(', ')}`);
        if (!page.window.view.isThreadLoading) continue;
      }
      this.reloads += 1;
      this.#open(page);
    }
  }
}

function shownIn({ name, window: { view } }: Page): string {
  const last = view.messages.slice(-8).map(({ type, text }) => `${type}: ${text.slice(-60)}`);
  const { isLoading, isThreadLoading, questions, error } = view;
  return `${name}: ${JSON.stringify({ isLoading, isThreadLoading, questions, error: String(error), last })}`;
}

function shownOf({ id, type, content }: Message): ShownMessage {
  return { id, type, text: content };
}
