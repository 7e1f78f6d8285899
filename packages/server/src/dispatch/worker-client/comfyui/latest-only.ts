import type { Timer } from '../../../lib/async/timer.ts';

/**
 * Passes on the first item at once, then the latest one per interval: for snapshots, of which only the newest counts.
 */
export class LatestOnly<Item> {
  readonly #handle: (item: Item) => void;
  readonly #timer: Timer;
  readonly #intervalMs: number;
  #waiting: { item: Item } | null = null;
  #cancel: (() => void) | null = null;

  constructor(handle: (item: Item) => void, options: { timer: Timer; intervalMs: number }) {
    this.#handle = handle;
    this.#timer = options.timer;
    this.#intervalMs = options.intervalMs;
  }

  offer(item: Item): void {
    if (this.#cancel) this.#waiting = { item };
    else this.#pass(item);
  }

  /** Drops the waiting item. */
  drop(): void {
    this.#waiting = null;
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting = null;
  }

  #pass(item: Item): void {
    this.#cancel = this.#timer(() => {
      this.#cancel = null;
      const waiting = this.#waiting;
      this.#waiting = null;
      if (waiting) this.#pass(waiting.item);
    }, this.#intervalMs);
    this.#handle(item);
  }
}
