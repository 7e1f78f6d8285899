import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, steadyClock } from '../../lib/clock.ts';

const firstMs = 100;
const maxMs = 5_000;
/** An error that comes after this much time without one begins a new series. */
const forgottenAfterMs = 2 * maxMs;

/** A rest after each error of a series. It begins short and doubles up to five seconds. */
export class GrowingRest {
  readonly #onEnd: () => void;
  readonly #timer: Timer;
  readonly #clock: Clock;
  #lastMs = 0;
  #endedAtMs = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor({
    onEnd,
    timer = systemTimer,
    clock = steadyClock,
  }: { onEnd: () => void; timer?: Timer | undefined; clock?: Clock | undefined }) {
    this.#onEnd = onEnd;
    this.#timer = timer;
    this.#clock = clock;
  }

  get isResting(): boolean {
    return this.#cancel !== null;
  }

  /** Does nothing during a rest: errors of several commands at once are one. */
  begin(): void {
    if (this.isResting) return;
    const isNewSeries = this.#clock() - this.#endedAtMs > forgottenAfterMs;
    this.#lastMs = isNewSeries ? firstMs : Math.min(2 * this.#lastMs, maxMs);
    this.#cancel = this.#timer(() => {
      this.#cancel = null;
      this.#endedAtMs = this.#clock();
      this.#onEnd();
    }, this.#lastMs);
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
