import type { SeenLease } from './lease-store.ts';

export interface LeaseLife {
  /** The time for which a lease is valid without being renewed. */
  lifeMs: number;
  renewEveryMs: number;
}

/**
 * Decides, at each check, whether a lease of another holder may be taken. The clock of the database says when the lease
 * has expired, but clocks can be changed. A holder that still renews must not lose its lease because the clock jumped
 * ahead, and a dead one must not keep it for hours because the clock went back. So the row must also have stayed
 * unchanged for that time, measured by our own steady clock.
 */
export class LeaseWatch {
  readonly #life: LeaseLife;
  #last: { seen: SeenLease; sinceMs: number } | undefined;

  constructor(life: LeaseLife) {
    this.#life = life;
  }

  /**
   * `steadyMs` comes from a clock that cannot be set. Returns how long to wait before the next check; 0 means that the
   * lease may be taken now.
   */
  waitBeforeTaking(seen: SeenLease | null, steadyMs: number): number {
    if (!seen || seen.isFree) return 0;
    if (!this.#last || !isSame(this.#last.seen, seen)) this.#last = { seen, sinceMs: steadyMs };
    const unchangedMs = steadyMs - this.#last.sinceMs;
    const { lifeMs, renewEveryMs } = this.#life;
    // One and a half renewal intervals, so that a slightly late renewal is not missed.
    const untilLapsedMs = Math.max(seen.remainingMs, 1.5 * renewEveryMs - unchangedMs);
    const untilGivenUpMs = 2 * lifeMs - unchangedMs;
    return Math.max(0, Math.min(untilLapsedMs, untilGivenUpMs));
  }
}

function isSame(one: SeenLease, other: SeenLease): boolean {
  return one.token === other.token && one.expiresAtMs === other.expiresAtMs;
}
