import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Bus, BusEvent } from '../../platform/bus/bus.ts';
import { factsOfDispatcher, type News, type NewsMessage, newsTopic } from './news.ts';

/** More than this wait only when the database does not keep up; then the rows are read instead. */
const maxWaiting = 5_000;
const maxAtOnce = 200;
/** So long news that no one waits for are collected, since rows are read once for all that are taken in together. */
const collectMs = 50;

/** Hears what happens in other replicas. News that arrive while others are taken in are taken in together. */
export class NewsReader {
  readonly #options;
  readonly #closing = new AbortController();
  #waiting: News[] = [];
  #hasGap = false;
  #working: Promise<void> | null = null;
  #listening: Promise<void> = Promise.resolve();
  /** The token of the newest dispatcher whose news arrived. */
  #newestToken = 0;

  constructor(options: {
    bus: Pick<Bus, 'subscribe'>;
    /** The name of this replica, whose own news it does not need. */
    self: string;
    /** Takes in news in the order in which they were sent. */
    takeIn: (news: readonly News[]) => Promise<void>;
    /** Called when news were lost: the rows have the changes. */
    catchUp: () => Promise<void>;
    /** Returns true while someone here waits for news: the work of the dispatcher, a socket, a request. */
    isUrgent: () => boolean;
    timer?: Timer;
    onFault: (error: unknown) => void;
  }) {
    this.#options = options;
  }

  /** Resolves once everything arrives that is sent from now on. */
  async start(): Promise<void> {
    const events = await this.#options.bus.subscribe(newsTopic, { signal: this.#closing.signal });
    this.#listening = this.#listen(events);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#listening;
    await this.#working;
  }

  async #listen(events: AsyncIterable<BusEvent<NewsMessage>>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'gap') this.#lose();
      else this.#hear(event.message);
      if (this.#waiting.length > 0 || this.#hasGap) this.#working ??= this.#work();
    }
  }

  #hear({ from, token, hasGap, news }: NewsMessage): void {
    if (from === this.#options.self) return;
    const isOutOfDate = token !== null && token < this.#newestToken;
    if (token !== null && !isOutOfDate) this.#newestToken = token;
    if (hasGap || this.#waiting.length + news.length > maxWaiting) this.#lose();
    for (const each of news) {
      if (!isOutOfDate || !factsOfDispatcher.includes(each.type)) this.#waiting.push(each);
    }
  }

  #lose(): void {
    this.#waiting = [];
    this.#hasGap = true;
  }

  async #work(): Promise<void> {
    const { signal } = this.#closing;
    while ((this.#waiting.length > 0 || this.#hasGap) && !signal.aborted) {
      await this.#collect(signal);
      if (signal.aborted) break;
      const news = this.#waiting.splice(0, maxAtOnce);
      const hasGap = this.#hasGap;
      this.#hasGap = false;
      try {
        if (hasGap) await this.#options.catchUp();
        if (news.length > 0) await this.#options.takeIn(news);
      } catch (error) {
        // The sweep over the rows finds what was not taken in.
        this.#options.onFault(error);
      }
    }
    this.#working = null;
  }

  async #collect(signal: AbortSignal): Promise<void> {
    const { isUrgent, timer = systemTimer } = this.#options;
    if (this.#hasGap || this.#waiting.length >= maxAtOnce || isUrgent()) return;
    await sleepWithSignal(collectMs, { signal, timer }).catch(() => undefined); // Rejects when the reader is closed.
  }
}
