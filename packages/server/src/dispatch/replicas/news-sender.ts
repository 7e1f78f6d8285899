import { pushLimits } from '@switchyard/contract/dispatch/push';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import { Throttle } from '../../lib/async/throttle.ts';
import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Bus } from '../../platform/bus/bus.ts';
import type { DispatchEvent } from '../dispatch-events.ts';
import type { DispatchParts } from '../dispatch-parts.ts';
import { type News, type NewsMessage, newsOf, newsTopic } from './news.ts';

/** More than this wait only while the bus does not take any; the replicas then read the rows. */
const maxWaiting = 5_000;
/** Reports of nodes are many and change no state, so they are the first to be left out. */
const maxWaitingBeforeReport = 1_000;
const maxInMessage = 200;
/** Stays below the limit of the bus, with room for what stands around the news. */
const maxBytesInMessage = 48 * 1024;
const instanceIntervalMs = 250;
/**
 * Each message wakes every replica. A reader does not notice so short a wait, and only a busy replica has more to send
 * by then.
 */
const messageIntervalMs = 25;

interface SenderOptions extends Pick<DispatchParts, 'events' | 'steadyClock'> {
  bus: Pick<Bus, 'publish'>;
  /** The name of this replica. */
  self: string;
  /** The token under which this replica is or was the dispatcher. */
  token: () => number | null;
  timer?: Timer;
  onFault: (error: unknown) => void;
}

/**
 * Tells the other replicas what happens in this one. All that happens in one turn of the event loop goes together, and what
 * happens shortly after a message goes with the next one.
 */
export class NewsSender {
  readonly #options;
  readonly #progress: Throttle;
  readonly #instances: Throttle;
  #waiting: { news: News; bytes: number }[] = [];
  #hasGap = false;
  #sending: Promise<void> | null = null;
  readonly #closing = new AbortController();
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  readonly #stop: () => void;

  constructor(options: SenderOptions) {
    this.#options = options;
    const times = { clock: options.steadyClock, ...(options.timer && { timer: options.timer }) };
    this.#progress = new Throttle({ intervalMs: 1_000 / pushLimits.progressPerSecond, ...times });
    this.#instances = new Throttle({ intervalMs: instanceIntervalMs, ...times });
    this.#stop = options.events.listenHere((event) => this.#take(event));
  }

  /** Sends what waits, then nothing more. */
  async close(): Promise<void> {
    this.#stop();
    this.#progress.close();
    this.#instances.close();
    this.#closing.abort();
    await this.#sending;
    this.#isClosed = true;
  }

  /** Sends a report of a node. The caller decides whether another replica wants it. */
  report(event: DispatchEvent & { type: 'task_execution' }): void {
    if (this.#waiting.length < maxWaitingBeforeReport) this.#put(event);
  }

  #take(event: DispatchEvent): void {
    if (event.type === 'task_execution') return;
    if (event.type === 'task_progress') {
      this.#progress.run(event.taskId, () => this.#put(event));
      return;
    }
    if (event.type === 'instance_changed') {
      this.#instances.run(event.instance.id, () => this.#put(event));
      return;
    }
    if (event.type === 'task_ended') this.#progress.finish(event.task.id);
    if (event.type === 'instance_removed') this.#instances.forget(event.instanceId);
    this.#put(event);
  }

  #put(event: DispatchEvent): void {
    const news = newsOf(event);
    if (news === null || this.#isClosed) return;
    const bytes = Buffer.byteLength(JSON.stringify(news));
    const isTooLong = bytes > maxBytesInMessage;
    // The state of hundreds of nodes at once stays here. The next one replaces it.
    if (isTooLong && news.type === 'task_execution') return;
    if (isTooLong || this.#waiting.length >= maxWaiting) this.#lose();
    else this.#waiting.push({ news, bytes });
    this.#sending ??= this.#sendLater();
  }

  #lose(): void {
    this.#waiting = [];
    this.#hasGap = true;
  }

  async #sendLater(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    await this.#untilDue();
    try {
      while (this.#waiting.length > 0 || this.#hasGap) await this.#send();
    } catch (error) {
      this.#lose();
      this.#options.onFault(error);
    } finally {
      this.#sending = null;
    }
  }

  async #untilDue(): Promise<void> {
    const { steadyClock, timer = systemTimer } = this.#options;
    const { signal } = this.#closing;
    const waitMs = this.#sentAtMs + messageIntervalMs - steadyClock();
    if (waitMs > 0) await sleepWithSignal(waitMs, { signal, timer }).catch(() => undefined); // Rejects when it is closed.
  }

  async #send(): Promise<void> {
    const { bus, self, token, steadyClock } = this.#options;
    this.#sentAtMs = steadyClock();
    const hasGap = this.#hasGap;
    this.#hasGap = false;
    const message: NewsMessage = { from: self, token: token(), hasGap, news: this.#nextPart() };
    await bus.publish(newsTopic, message);
  }

  #nextPart(): News[] {
    let count = 0;
    let bytes = 0;
    for (const waiting of this.#waiting) {
      if (count >= maxInMessage || bytes + waiting.bytes > maxBytesInMessage) break;
      count += 1;
      bytes += waiting.bytes;
    }
    return this.#waiting.splice(0, count).map(({ news }) => news);
  }
}
