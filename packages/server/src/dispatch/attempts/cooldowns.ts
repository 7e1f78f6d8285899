import { type Clock, systemClock } from '../../lib/clock.ts';
import { type Requirement, requirementKey } from '../graphs/capability.ts';
import type { Against } from './attempt-outcome.ts';

const maxMs = 30_000;
/** Half of the failures are forgotten after each such time without a failure. */
const fadeMs = 60_000;
const maxKept = 1_000;

interface Cooldown {
  untilMs: number;
  /** The same by the time of day, for people: noted once, so that every answer names the same moment. */
  shownUntilMs: number;
  failures: number;
}

/** Remembers what an instance failed at lately. It does not get that again for a while: twice as long each time, but never long. */
export class Cooldowns {
  readonly #clock: Clock;
  readonly #timeOfDay: Clock;
  readonly #firstMs: number;
  readonly #entries = new Map<string, Cooldown>();

  constructor(clock: Clock, firstMs: number, timeOfDay: Clock = systemClock) {
    this.#clock = clock;
    this.#timeOfDay = timeOfDay;
    this.#firstMs = firstMs;
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns how long it lasts. */
  start(key: string): number {
    const failures = this.#failuresOf(this.#entries.get(key)) + 1;
    const lengthMs = Math.min(this.#firstMs * 2 ** (failures - 1), Math.max(maxMs, this.#firstMs));
    this.#entries.delete(key);
    this.#entries.set(key, {
      untilMs: this.#clock() + lengthMs,
      shownUntilMs: this.#timeOfDay() + lengthMs,
      failures,
    });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > maxKept && oldest !== undefined) this.#entries.delete(oldest);
    return lengthMs;
  }

  isCooling(key: string): boolean {
    return (this.#entries.get(key)?.untilMs ?? 0) > this.#clock();
  }

  /** Returns the time of day at which the cooldown ends; null when there is none. */
  endOf(key: string): number | null {
    return this.isCooling(key) ? (this.#entries.get(key)?.shownUntilMs ?? null) : null;
  }

  /** A task with this requirement succeeded; it does not matter whose it was. */
  clear(requirement: Requirement): void {
    const { everyone } = cooldownKeys('', requirement);
    for (const key of this.#entries.keys()) if (key.startsWith(everyone)) this.#entries.delete(key);
  }

  #failuresOf(cooldown: Cooldown | undefined): number {
    if (!cooldown) return 0;
    const quietMs = Math.max(this.#clock() - cooldown.untilMs, 0);
    return Math.floor(cooldown.failures / 2 ** Math.floor(quietMs / fadeMs));
  }
}

/** The keys under which a failure counts, depending on who must avoid the instance. */
export function cooldownKeys(
  owner: string,
  requirement: Requirement,
): Record<Exclude<Against, 'no_one' | 'host'>, string> {
  const everyone = requirementKey(requirement);
  return { everyone, owner: `${everyone}${owner}` };
}
