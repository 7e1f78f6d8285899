import type { Timer } from '../src/lib/async/timer.ts';
import type { Clock } from '../src/lib/clock.ts';

interface PlannedAction {
  atMs: number;
  action: () => void;
}

/** Time for tests. It stands still until `advance` is called, and then runs the due timers in order. */
export class ManualTime {
  #nowMs: number;
  readonly #planned = new Set<PlannedAction>();

  constructor(startMs = Date.UTC(2030, 0, 1)) {
    this.#nowMs = startMs;
  }

  readonly now: Clock = () => this.#nowMs;

  readonly timer: Timer = (action, delayMs) => {
    const planned = { atMs: this.#nowMs + Math.max(delayMs, 0), action };
    this.#planned.add(planned);
    return () => this.#planned.delete(planned);
  };

  /** When the next timer fires; null if there is none. */
  get nextTimerMs(): number | null {
    return this.#next()?.atMs ?? null;
  }

  /** Moves the clock without running timers, as when the process was stopped or the system clock was set. */
  jump(byMs: number): void {
    this.#nowMs += byMs;
  }

  /** Lets `byMs` pass. What an action starts (a query, for example) is not awaited: wait for its effect. */
  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      this.#planned.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    this.#nowMs = untilMs;
  }

  #next(): PlannedAction | undefined {
    let first: PlannedAction | undefined;
    for (const planned of this.#planned) if (!first || planned.atMs < first.atMs) first = planned;
    return first;
  }
}
