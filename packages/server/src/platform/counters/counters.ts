/**
 * Counts of attempts and calls that replicas share. Every method is one atomic transition, so that parallel callers
 * cannot act between the check and the count.
 */
export interface Counters {
  /**
   * Counts an attempt before it is made. `confirmFailure` or `giveBack` ends a reserved attempt; otherwise it expires
   * after `reservationMs`.
   */
  reserve(subject: string, policy: AttemptPolicy): Promise<Reservation>;
  /** The attempt failed. The failure that fills the policy locks the subject. */
  confirmFailure(subject: string, failure: AttemptFailure): Promise<{ locked: boolean }>;
  /** The attempt ended without a failure, or was not made. */
  giveBack(subject: string, reservationId: string): Promise<void>;
  /** Forgets the subject's failures about one thing. Locks and failures about other things stay. */
  clear(subject: string, about: string): Promise<void>;
  /** Counts one call in a fixed window and returns whether it is still within the limit. */
  countCall(key: string, window: CallWindow): Promise<{ allowed: boolean; retryAfterMs: number }>;
}

export interface AttemptPolicy {
  /** Maximum number of failures and attempts in flight of a subject. This many failures lock it. */
  attempts: number;
  /** The time for which a lock lasts, and for which the failures of an unlocked subject are remembered after the last one. */
  lockMs: number;
  /** The time that an attempt may be in flight before it counts as lost. */
  reservationMs: number;
}

export interface AttemptFailure {
  reservationId: string;
  /** The subject of the attempt, for example a digest of the account's name. */
  about: string;
  policy: AttemptPolicy;
}

export interface CallWindow {
  limit: number;
  windowMs: number;
}

export type Reservation =
  | { outcome: 'reserved'; reservationId: string }
  /** The attempts in flight would fill the policy if all of them failed. This locks no one out. */
  | { outcome: 'busy' }
  | { outcome: 'locked'; retryAfterMs: number };
