import type { Clock } from '../../lib/clock.ts';
import { newSecret } from '../../lib/ids.ts';
import type { RedisScript } from '../redis/redis-script.ts';
import type { RedisServer } from '../redis/redis-server.ts';
import * as scripts from './counter-scripts.ts';
import type { AttemptFailure, AttemptPolicy, CallWindow, Counters, Reservation } from './counters.ts';

/** Begins the ids of attempts that this process allowed without Redis. Other ids have no dot. */
const aloneMark = 'alone.';

/** Maximum size of a subject in the name of a key. */
const maxSubjectLength = 200;

/**
 * Counters of all replicas. A failure is counted in this process as well. While Redis is away each process counts alone
 * and allows half as much, because an attacker may try every replica.
 */
export class RedisCounters implements Counters {
  readonly #redis: RedisServer;
  readonly #alone: Counters;
  readonly #clock: Clock | undefined;

  constructor({
    redis,
    alone,
    clock,
  }: {
    redis: RedisServer;
    /** The counts of this process alone, which decide while Redis is away. */
    alone: Counters;
    /** Replaces the clock of Redis, which all replicas share. */
    clock?: Clock;
  }) {
    this.#redis = redis;
    this.#alone = alone;
    this.#clock = clock;
  }

  async reserve(subject: string, policy: AttemptPolicy): Promise<Reservation> {
    const reservationId = newSecret(12);
    const answer = await this.#ask(scripts.reserve, this.#tries(subject), [
      ...valuesOf(policy),
      reservationId,
    ]);
    if (answer === undefined) return madeAlone(await this.#alone.reserve(subject, stricter(policy)));
    const [outcome, waitMs] = answer as [Reservation['outcome'], number];
    if (outcome === 'locked') return { outcome, retryAfterMs: waitMs };
    return outcome === 'busy' ? { outcome } : { outcome, reservationId };
  }

  async confirmFailure(subject: string, failure: AttemptFailure): Promise<{ locked: boolean }> {
    const { reservationId, about, policy } = failure;
    const values = [...valuesOf(policy), reservationId, about];
    const answer = await this.#ask(scripts.confirmFailure, this.#tries(subject), values);
    const isAlone = answer === undefined || reservationId.startsWith(aloneMark);
    const own = await this.#alone.confirmFailure(subject, {
      about,
      reservationId: idAlone(reservationId),
      policy: isAlone ? stricter(policy) : policy,
    });
    return isAlone ? own : { locked: answer === 1 };
  }

  async giveBack(subject: string, reservationId: string): Promise<void> {
    await this.#alone.giveBack(subject, idAlone(reservationId));
    if (reservationId.startsWith(aloneMark)) return;
    await this.#forget(this.#tries(subject), `r:${reservationId}`);
  }

  async clear(subject: string, about: string): Promise<void> {
    await this.#alone.clear(subject, about);
    await this.#forget(this.#tries(subject), `f:${about}`);
  }

  async countCall(key: string, window: CallWindow): Promise<{ allowed: boolean; retryAfterMs: number }> {
    const { limit, windowMs } = window;
    const answer = await this.#ask(scripts.countCall, this.#redis.key('calls', short(key)), [windowMs]);
    if (answer === undefined) return this.#alone.countCall(key, { windowMs, limit: half(limit) });
    const [calls, leftMs] = answer as [number, number];
    return calls <= limit ? { allowed: true, retryAfterMs: 0 } : { allowed: false, retryAfterMs: leftMs };
  }

  /** Returns undefined while Redis is away. Its connections report what is wrong. */
  async #ask(script: RedisScript, key: string, values: readonly (string | number)[]): Promise<unknown> {
    const nowMs = this.#clock?.() ?? -1;
    return script.run(this.#redis.commands, key, [nowMs, ...values]).catch((error: unknown) => {
      this.#redis.noteFault(error);
      return undefined;
    });
  }

  async #forget(key: string, field: string): Promise<void> {
    // Without Redis the field expires by itself.
    await this.#redis.commands.hdel(key, field).catch((error: unknown) => this.#redis.noteFault(error));
  }

  #tries(subject: string): string {
    return this.#redis.key('tries', short(subject));
  }
}

/** Marks a reservation of this process alone: the process that allowed the attempt also counts its failure. */
function madeAlone(reservation: Reservation): Reservation {
  if (reservation.outcome !== 'reserved') return reservation;
  return { outcome: 'reserved', reservationId: `${aloneMark}${reservation.reservationId}` };
}

function idAlone(reservationId: string): string {
  return reservationId.startsWith(aloneMark) ? reservationId.slice(aloneMark.length) : reservationId;
}

function valuesOf({ attempts, lockMs, reservationMs }: AttemptPolicy): number[] {
  return [attempts, lockMs, reservationMs];
}

function stricter(policy: AttemptPolicy): AttemptPolicy {
  return { ...policy, attempts: half(policy.attempts) };
}

function half(limit: number): number {
  return Math.max(1, Math.floor(limit / 2));
}

function short(subject: string): string {
  return subject.slice(0, maxSubjectLength);
}
