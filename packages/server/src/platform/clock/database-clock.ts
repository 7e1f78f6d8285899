import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, steadyClock, systemClock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';

/** The clocks of replicas and that of the database may differ by this much; what is signed or has an end allows for it. */
export const maxClockDifferenceMs = 5_000;
/** In this time a computer's clock that nothing corrects goes wrong by a millisecond. */
const askEveryMs = 10_000;

interface DatabaseClockOptions {
  /** Returns the present moment by the clock of the database. */
  ask: () => Promise<number>;
  log: Pick<Log, 'info' | 'warn'>;
  timer?: Timer;
  /** A clock that cannot be set, which goes on between two questions. */
  steadyClock?: Clock;
  /** The clock of this machine. */
  ownClock?: Clock;
}

/**
 * The clock of the database, which all replicas share. What they store and compare is by this one, so that a machine whose own clock
 * jumps neither writes wrong times nor takes for old what is new.
 */
export class DatabaseClock {
  readonly #options: Required<DatabaseClockOptions>;
  /** The time by which the clock of the database is ahead of the steady one. */
  #aheadMs: number;
  #isOwnWrong = false;
  #isClosed = false;
  #cancelTimer: (() => void) | undefined;

  private constructor(options: Required<DatabaseClockOptions>) {
    this.#options = options;
    this.#aheadMs = options.ownClock() - options.steadyClock();
  }

  static async open(options: DatabaseClockOptions): Promise<DatabaseClock> {
    const usual = { timer: systemTimer, steadyClock, ownClock: systemClock };
    const clock = new DatabaseClock({ ...usual, ...options });
    await clock.#align();
    clock.#plan();
    return clock;
  }

  readonly now: Clock = () => Math.floor(this.#options.steadyClock() + this.#aheadMs);

  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
  }

  #plan(): void {
    if (!this.#isClosed) this.#cancelTimer = this.#options.timer(() => void this.#again(), askEveryMs);
  }

  async #again(): Promise<void> {
    // A database that is away is reported by all who need it, and this clock goes on without it.
    await this.#align().catch(() => undefined);
    this.#plan();
  }

  /** The answer was true at some moment since the question, so a clock that is right for one of them stays as it is. */
  async #align(): Promise<void> {
    const askedMs = this.#options.steadyClock();
    const databaseMs = await this.#options.ask();
    const answeredMs = this.#options.steadyClock();
    this.#aheadMs = Math.min(Math.max(this.#aheadMs, databaseMs - answeredMs), databaseMs + 1 - askedMs);
    this.#compareOwn();
  }

  #compareOwn(): void {
    const { ownClock, log } = this.#options;
    const aheadMs = ownClock() - this.now();
    const isWrong = Math.abs(aheadMs) > maxClockDifferenceMs;
    if (isWrong === this.#isOwnWrong) return;
    this.#isOwnWrong = isWrong;
    if (!isWrong) {
      log.info({}, 'The clock of this machine is right again');
      return;
    }
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    const where = aheadMs > 0 ? 'ahead of' : 'behind';
    log.warn(
      { aheadMs },
      `The clock of this machine is ${seconds} s ${where} the clock of the database; set it, for example with NTP`,
    );
  }
}
