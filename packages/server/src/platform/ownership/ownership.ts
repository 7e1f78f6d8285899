import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { Bus } from '../bus/bus.ts';
import type { Database } from '../database/database.ts';
import { type DatabaseTime, databaseTime } from '../database/database-time.ts';
import { FreedLeases } from './freed-leases.ts';
import { type Lease, LeaseLost } from './lease.ts';
import { type KeptLease, LeaseKeeper } from './lease-keeper.ts';
import { type ForeignLease, LeaseStore, type SeenLease } from './lease-store.ts';
import { type LeaseLife, LeaseWatch } from './lease-watch.ts';
import type { OwnershipTables } from './tables.ts';
import { WaitingRoom } from './waiting-room.ts';

export interface OwnershipOptions {
  database: Database<OwnershipTables>;
  /**
   * Another process may take over this long after a crash or a lost connection. Leases are renewed after a third of it.
   * Default 15 s.
   */
  leaseLifeMs?: number;
  timer?: Timer;
  /** A clock that cannot be set, for durations within this process. */
  steadyClock?: Clock;
  databaseTime?: DatabaseTime;
  /** From 0 to 1; spreads processes that wait for the same lease. */
  random?: () => number;
}

export interface HoldOptions {
  /** Ends the wait, or is passed on to the work. */
  signal?: AbortSignal | undefined;
}

type TakenLease = Omit<KeptLease, 'lose'>;

export type Work = (lease: Lease) => Promise<void>;

/**
 * Answers one question for all replicas: which process is executing this now? Each key has at most one live owner,
 * recorded in a row of the database. When the owner dies or loses its connection, the row expires and the next one
 * takes over with a higher token.
 */
export class Ownership {
  readonly #store: LeaseStore;
  readonly #keeper: LeaseKeeper;
  readonly #holder = newId();
  readonly #life: LeaseLife;
  readonly #timer: Timer;
  readonly #steadyClock: Clock;
  readonly #random: () => number;
  readonly #active = new Map<AbortController, Promise<unknown>>();
  /** Callers in this process that wait for a key. They stop waiting when it is given back here. */
  readonly #waiting: WaitingRoom;
  #freed: FreedLeases | undefined;
  #isClosed = false;

  constructor(options: OwnershipOptions) {
    const { database, leaseLifeMs = 15_000 } = options;
    this.#store = new LeaseStore(database, options.databaseTime ?? databaseTime(database));
    this.#life = { lifeMs: leaseLifeMs, renewEveryMs: leaseLifeMs / 3 };
    this.#timer = options.timer ?? systemTimer;
    this.#steadyClock = options.steadyClock ?? (() => performance.now());
    this.#random = options.random ?? Math.random;
    this.#waiting = new WaitingRoom(this.#timer);
    this.#keeper = new LeaseKeeper({
      store: this.#store,
      holder: this.#holder,
      life: this.#life,
      steadyClock: this.#steadyClock,
      timer: this.#timer,
    });
  }

  /**
   * From now on this process tells the others on the bus which keys it gives back, and hears it from them. Without a bus
   * they wait until the lease expires. Close it before the bus.
   */
  async joinBus(bus: Pick<Bus, 'publish' | 'subscribe'>): Promise<void> {
    this.#freed = new FreedLeases(bus, this.#waiting);
    await this.#freed.start();
  }

  /**
   * Waits until this process owns `key`, does the work, and gives the key back. Rejects with the error of the work,
   * with `LeaseLost` when the lease was lost meanwhile (call it again), or with the signal's reason while it waits.
   */
  async hold(key: string, work: Work, options: HoldOptions = {}): Promise<void> {
    await this.#whileActive(options.signal, async (controller) => {
      const lease = await this.#waitFor(key, controller.signal);
      await this.#workUnder(lease, work, controller);
    });
  }

  /**
   * Does what `hold` does, but returns false at once when another process owns the key. Returns true when the work is
   * done.
   */
  async tryHold(key: string, work: Work, options: HoldOptions = {}): Promise<boolean> {
    return this.#whileActive(options.signal, async (controller) => {
      const seen = await this.#store.look(key);
      const isTakeable = !seen || seen.isFree || seen.remainingMs <= 0;
      const lease = isTakeable ? await this.#take(key, seen) : null;
      if (!lease) return false;
      await this.#workUnder(lease, work, controller);
      return true;
    });
  }

  /** Returns the leases that other processes hold now, of keys that begin with one of these. */
  async heldElsewhere(prefixes: readonly string[]): Promise<ForeignLease[]> {
    return this.#store.heldElsewhere(prefixes, this.#holder);
  }

  /**
   * For the start of a process that owns the database: all earlier holders are gone, so no one has to wait for them.
   */
  async freeAll(): Promise<void> {
    await this.#store.freeAll();
  }

  /** The name of this process in leases. It changes with each start. */
  get holder(): string {
    return this.#holder;
  }

  /** Drops rows that were unused for long. Call it from time to time. */
  async prune(): Promise<void> {
    await this.#store.prune();
  }

  /**
   * Aborts all work, waits for its end and gives all keys back, so that another replica need not wait until they
   * expire.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#active.values()];
    for (const controller of this.#active.keys())
      controller.abort(new Error('The gateway is shutting down.'));
    await Promise.allSettled(running);
    await this.#freed?.close();
  }

  async #whileActive<Result>(
    signal: AbortSignal | undefined,
    act: (controller: AbortController) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw new Error('Ownership is closed.');
    signal?.throwIfAborted();
    const controller = new AbortController();
    const passOn = (): void => controller.abort(signal?.reason);
    signal?.addEventListener('abort', passOn, { once: true });
    const running = act(controller);
    this.#active.set(controller, running);
    try {
      return await running;
    } finally {
      this.#active.delete(controller);
      signal?.removeEventListener('abort', passOn);
    }
  }

  async #waitFor(key: string, signal: AbortSignal): Promise<TakenLease> {
    const watch = new LeaseWatch(this.#life);
    for (;;) {
      const turn = this.#waiting.turn;
      const seen = await this.#store.look(key);
      signal.throwIfAborted();
      const waitMs = watch.waitBeforeTaking(seen, this.#steadyClock());
      if (waitMs === 0) {
        const lease = await this.#take(key, seen);
        if (lease) return lease;
      } else {
        const spreadMs = this.#random() * (this.#life.renewEveryMs / 4);
        await this.#waiting.wait(key, { turn, delayMs: waitMs + spreadMs, signal });
        signal.throwIfAborted();
      }
    }
  }

  async #take(key: string, seen: SeenLease | null): Promise<TakenLease | null> {
    const sentAtMs = this.#steadyClock();
    const token = await this.#store.take(key, seen, { holder: this.#holder, lifeMs: this.#life.lifeMs });
    return token === null ? null : { key, token, confirmedAtMs: sentAtMs };
  }

  async #workUnder(taken: TakenLease, work: Work, controller: AbortController): Promise<void> {
    let lost: LeaseLost | undefined;
    const lease: KeptLease = {
      ...taken,
      lose: (reason) => {
        lost ??= reason;
        controller.abort(reason);
      },
    };
    this.#keeper.keep(lease);
    try {
      controller.signal.throwIfAborted();
      await work(this.#handOut(lease, controller.signal));
    } catch (error) {
      throw lost ?? error;
    } finally {
      this.#keeper.drop(lease);
      await this.#giveBack(lease);
    }
    if (lost) throw lost;
  }

  #handOut(lease: KeptLease, signal: AbortSignal): Lease {
    const { key, token } = lease;
    return {
      key,
      token,
      signal,
      stands: () => this.#keeper.stands(lease),
      confirm: async (trx) => {
        if (await this.#store.isCurrent(trx, lease)) return;
        const reason = new LeaseLost(key);
        this.#keeper.drop(lease);
        lease.lose(reason);
        throw reason;
      },
    };
  }

  /**
   * Called even after a loss, because no one may have taken the lease yet. A failure does no harm: the lease expires by
   * itself.
   */
  async #giveBack(lease: KeptLease): Promise<void> {
    await this.#store.giveBack(lease).catch(() => undefined);
    this.#waiting.wake(lease.key);
    this.#freed?.announce(lease.key);
  }
}
