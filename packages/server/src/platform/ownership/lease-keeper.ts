import type { Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import { LeaseLost } from './lease.ts';
import type { LeaseName, LeaseStore } from './lease-store.ts';
import type { LeaseLife } from './lease-watch.ts';

export interface KeptLease extends LeaseName {
  /** By the steady clock: when the statement that took or last renewed the lease was sent. */
  confirmedAtMs: number;
  lose: (reason: LeaseLost) => void;
}

/** Renews all leases of a process with one statement. It gives up in time those that cannot be renewed. */
export class LeaseKeeper {
  readonly #options;
  readonly #kept = new Set<KeptLease>();
  #cancelTimer: (() => void) | undefined;
  #renewAtMs = 0;
  #isRenewing = false;
  #lastFailure: unknown;

  constructor(options: {
    store: LeaseStore;
    holder: string;
    life: LeaseLife;
    steadyClock: Clock;
    timer: Timer;
  }) {
    this.#options = options;
  }

  keep(lease: KeptLease): void {
    if (this.#kept.size === 0) this.#renewAtMs = lease.confirmedAtMs + this.#options.life.renewEveryMs;
    this.#kept.add(lease);
    this.#plan();
  }

  drop(lease: KeptLease): void {
    this.#kept.delete(lease);
    this.#plan();
  }

  /** Returns whether the lease still has time left, and gives it up when it has none. */
  stands(lease: KeptLease): boolean {
    if (this.#kept.has(lease) && this.#deadlineOf(lease) <= this.#options.steadyClock()) this.#lose(lease);
    return this.#kept.has(lease);
  }

  /** Sets one timer for the earliest event: the next renewal, or the moment at which a lease has to be given up. */
  #plan(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#kept.size === 0) return;
    const { steadyClock, timer } = this.#options;
    const deadlines = [...this.#kept].map((lease) => this.#deadlineOf(lease));
    const nextMs = Math.min(...deadlines, this.#isRenewing ? Number.POSITIVE_INFINITY : this.#renewAtMs);
    this.#cancelTimer = timer(() => this.#wake(), nextMs - steadyClock());
  }

  #wake(): void {
    const nowMs = this.#options.steadyClock();
    for (const lease of [...this.#kept]) if (this.#deadlineOf(lease) <= nowMs) this.#lose(lease);
    if (this.#kept.size > 0 && !this.#isRenewing && this.#renewAtMs <= nowMs) void this.#renew();
    this.#plan();
  }

  async #renew(): Promise<void> {
    const { store, holder, life, steadyClock } = this.#options;
    const leases = [...this.#kept];
    const sentAtMs = steadyClock();
    this.#isRenewing = true;
    try {
      const renewed = await store.renew(leases, { holder, lifeMs: life.lifeMs });
      this.#lastFailure = undefined;
      this.#note(leases, new Map(renewed.map(({ key, token }) => [key, token])), sentAtMs);
      this.#renewAtMs = sentAtMs + life.renewEveryMs;
    } catch (error) {
      this.#lastFailure = error;
      this.#renewAtMs = steadyClock() + life.renewEveryMs / 4;
    } finally {
      this.#isRenewing = false;
      this.#plan();
    }
  }

  #note(asked: KeptLease[], renewed: Map<string, number>, sentAtMs: number): void {
    for (const lease of asked) {
      if (renewed.get(lease.key) === lease.token) lease.confirmedAtMs = sentAtMs;
      else if (this.#kept.has(lease)) this.#lose(lease);
    }
  }

  #lose(lease: KeptLease): void {
    this.#kept.delete(lease);
    const cause = this.#lastFailure;
    lease.lose(cause === undefined ? new LeaseLost(lease.key) : new LeaseLost(lease.key, { cause }));
  }

  /** Half a renewal interval before another process may take the lease, so that the work has stopped by then. */
  #deadlineOf(lease: KeptLease): number {
    const { lifeMs, renewEveryMs } = this.#options.life;
    return lease.confirmedAtMs + lifeMs - renewEveryMs / 2;
  }
}
