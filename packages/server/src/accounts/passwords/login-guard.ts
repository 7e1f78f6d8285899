import { createHash } from 'node:crypto';
import { AppError } from '../../lib/app-error.ts';
import type { AttemptPolicy, Counters } from '../../platform/counters/counters.ts';

export interface LockoutOptions {
  attempts: number;
  durationMs: number;
}

/** Longer than any hash waits in its queue. */
const reservationMs = 120_000;

/**
 * The one limiter for all places that accept a password. An attempt is counted before it is hashed, so that parallel
 * guesses cannot get ahead of the count.
 */
export class LoginGuard {
  readonly #counters: Counters;
  readonly #policy: AttemptPolicy;

  constructor({ counters, lockout }: { counters: Counters; lockout: LockoutOptions }) {
    this.#counters = counters;
    this.#policy = { attempts: lockout.attempts, lockMs: lockout.durationMs, reservationMs };
  }

  /**
   * Runs the check if the subject has an attempt left. A wrong guess counts only against the subject that the check names. A check
   * that throws does not count as an attempt.
   */
  async attempt<Checked extends { about: string; isRight: boolean }>(
    subject: string,
    check: () => Promise<Checked>,
  ): Promise<Checked & { locked: boolean }> {
    const reservationId = await this.#reserve(subject);
    const checked = await check().catch(async (error: unknown) => {
      await this.#counters.giveBack(subject, reservationId);
      throw error;
    });
    const { about, isRight } = checked;
    if (!isRight) {
      const failure = { reservationId, about, policy: this.#policy };
      const { locked } = await this.#counters.confirmFailure(subject, failure);
      return { ...checked, locked };
    }
    await this.#counters.giveBack(subject, reservationId);
    await this.#counters.clear(subject, about);
    return { ...checked, locked: false };
  }

  async #reserve(subject: string): Promise<string> {
    const reservation = await this.#counters.reserve(subject, this.#policy);
    if (reservation.outcome === 'reserved') return reservation.reservationId;
    if (reservation.outcome === 'busy') throw new AppError('login_busy', { retryAfterSeconds: 1 });
    const retryAfterSeconds = Math.max(1, Math.ceil(reservation.retryAfterMs / 1_000));
    throw new AppError('login_locked', { retryAfterSeconds });
  }
}

/** Returns the name of an account that may not exist, in a length that a table can hold. */
export function aboutName(name: string): string {
  return createHash('sha256').update(name).digest('base64url').slice(0, 22);
}
