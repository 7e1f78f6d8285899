import type { Clock } from '../clock.ts';
import { systemTimer, type Timer } from './timer.ts';

/**
 * Runs at most one action per key and interval. The first runs at once. If more come within the interval, the newest
 * runs when the interval is over, so the last one is never lost.
 */
export class Throttle {
  readonly #intervalMs: number;
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #lastMs = new Map<string, number>();
  readonly #waiting = new Map<string, { action: () => void; cancel: () => void }>();

  constructor({
    intervalMs,
    clock,
    timer = systemTimer,
  }: { intervalMs: number; clock: Clock; timer?: Timer }) {
    this.#intervalMs = intervalMs;
    this.#clock = clock;
    this.#timer = timer;
  }

  run(key: string, action: () => void): void {
    const waiting = this.#waiting.get(key);
    if (waiting) {
      waiting.action = action;
      return;
    }
    const sinceMs = this.#clock() - (this.#lastMs.get(key) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs >= this.#intervalMs) {
      this.#lastMs.set(key, this.#clock());
      action();
      return;
    }
    const cancel = this.#timer(() => this.#runWaiting(key), this.#intervalMs - sinceMs);
    this.#waiting.set(key, { action, cancel });
  }

  /** Runs the waiting action of the key now and forgets the key, because no more actions will come. */
  finish(key: string): void {
    const waiting = this.#waiting.get(key);
    this.forget(key);
    waiting?.action();
  }

  /** Drops the waiting action of the key, because something newer has made it pointless. */
  forget(key: string): void {
    this.#waiting.get(key)?.cancel();
    this.#waiting.delete(key);
    this.#lastMs.delete(key);
  }

  forgetAll(): void {
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#lastMs.clear();
  }

  close(): void {
    this.forgetAll();
  }

  #runWaiting(key: string): void {
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    this.#lastMs.set(key, this.#clock());
    waiting?.action();
  }
}
