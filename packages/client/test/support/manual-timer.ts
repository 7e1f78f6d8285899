import type { Timer } from '../../src/timer.ts';

interface Planned {
  atMs: number;
  action: () => void;
}

/** Time for tests: it stands still until `advance` is called. */
export class ManualTimer {
  #nowMs = 0;
  readonly #planned = new Set<Planned>();

  readonly timer: Timer = (action, delayMs) => {
    const planned = { atMs: this.#nowMs + delayMs, action };
    this.#planned.add(planned);
    return () => this.#planned.delete(planned);
  };

  get waiting(): number {
    return this.#planned.size;
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (let next = this.#next(); next && next.atMs <= untilMs; next = this.#next()) {
      this.#planned.delete(next);
      this.#nowMs = next.atMs;
      next.action();
    }
    this.#nowMs = untilMs;
  }

  #next(): Planned | undefined {
    return [...this.#planned].sort((one, other) => one.atMs - other.atMs)[0];
  }
}
