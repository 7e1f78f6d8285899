import type { SeenLease } from './lease-store.ts';

export interface LeaseLife {
  /** How long a lease is valid without being renewed. */
  lifeMs: number;
  renewEveryMs: number;
}

/**
 * Judges, look by look, whether a lease that somebody else holds may be taken. The clock of the database says when it has
 * lapsed, but clocks are set: a holder that still renews is never unseated by one that jumps ahead, and a dead one does not
 * keep its lease for hours because one went back. So the row must also stand still, measured by our own steady clock.
 */
export class LeaseWatch {
  readonly #life: LeaseLife;
  #last: { seen: SeenLease; sinceMs: number } | undefined;

  constructor(life: LeaseLife) {
    this.#life = life;
  }

  /** `steadyMs` comes from a clock that nobody sets. Answers how long to wait before the next look; 0: take it now. */
  waitBeforeTaking(seen: SeenLease | null, steadyMs: number): number {
    if (!seen || seen.isFree) return 0;
    if (!this.#last || !isSame(this.#last.seen, seen)) this.#last = { seen, sinceMs: steadyMs };
    const unchangedMs = steadyMs - this.#last.sinceMs;
    const { lifeMs, renewEveryMs } = this.#life;
    // One and a half renewals, so that a renewal that is a little late is not overlooked.
    const untilLapsedMs = Math.max(seen.remainingMs, 1.5 * renewEveryMs - unchangedMs);
    const untilGivenUpMs = 2 * lifeMs - unchangedMs;
    return Math.max(0, Math.min(untilLapsedMs, untilGivenUpMs));
  }
}

function isSame(one: SeenLease, other: SeenLease): boolean {
  return one.token === other.token && one.expiresAtMs === other.expiresAtMs;
}
