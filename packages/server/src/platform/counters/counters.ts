/**
 * Counts of attempts and calls that replicas share. Every method is one atomic transition, so that parallel callers
 * cannot slip between a look and a count.
 */
export interface Counters {
  /**
   * Counts an attempt before it is made. A reserved attempt is ended by `confirmFailure` or `giveBack`, or forgets
   * itself after `reservationMs`.
   */
  reserve(subject: string, policy: AttemptPolicy): Promise<Reservation>;
  /** The attempt failed. The failure that fills the policy locks the subject. */
  confirmFailure(subject: string, failure: AttemptFailure): Promise<{ locked: boolean }>;
  /** The attempt ended without a failure, or was never made. */
  giveBack(subject: string, reservationId: string): Promise<void>;
  /** Forgets the subject's failures about one thing, and nothing else: not a lock, not failures about other things. */
  clear(subject: string, about: string): Promise<void>;
  /** Counts one call in a fixed window and says whether it is still within the limit. */
  countCall(key: string, window: CallWindow): Promise<{ allowed: boolean; retryAfterMs: number }>;
}

export interface AttemptPolicy {
  /** Failures and attempts in flight that a subject may have at once; this many failures lock it. */
  attempts: number;
  /** How long a lock lasts, and how long after the last failure an unlocked subject's failures are remembered. */
  lockMs: number;
  /** How long an attempt may stay in flight before it is taken for lost. */
  reservationMs: number;
}

export interface AttemptFailure {
  reservationId: string;
  /** What was tried, for example a digest of the account's name. */
  about: string;
  policy: AttemptPolicy;
}

export interface CallWindow {
  limit: number;
  windowMs: number;
}

export type Reservation =
  | { outcome: 'reserved'; reservationId: string }
  /** Enough attempts are in flight to fill the policy if all of them failed. Nobody is locked out by this. */
  | { outcome: 'busy' }
  | { outcome: 'locked'; retryAfterMs: number };
