import type { Clock } from '../lib/clock.ts';

const firstMs = 2_000;
const longestMs = 5 * 60_000;
const mostKept = 1_000;

/** What an instance failed at lately and is not given again for a while, twice as long each time. */
export class Cooldowns {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { untilMs: number; failures: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Answers how long it lasts. */
  start(key: string): number {
    const failures = (this.#entries.get(key)?.failures ?? 0) + 1;
    const lengthMs = Math.min(firstMs * 2 ** (failures - 1), longestMs);
    this.#entries.delete(key);
    this.#entries.set(key, { untilMs: this.#clock() + lengthMs, failures });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > mostKept && oldest !== undefined) this.#entries.delete(oldest);
    return lengthMs;
  }

  isCooling(key: string): boolean {
    return (this.#entries.get(key)?.untilMs ?? 0) > this.#clock();
  }

  clear(key: string): void {
    this.#entries.delete(key);
  }
}
