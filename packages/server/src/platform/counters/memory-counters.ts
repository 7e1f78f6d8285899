import { newSecret } from '../../lib/ids.ts';
import type { AttemptFailure, AttemptPolicy, CallWindow, Counters, Reservation } from './counters.ts';

interface Subject {
  failures: Map<string, number>;
  /** Maps the id of a reservation to the moment at which it counts as lost. */
  inFlight: Map<string, number>;
  lockedUntilMs: number;
  failuresUntilMs: number;
}

/** Counters of one process. */
export class MemoryCounters implements Counters {
  readonly #clock: () => number;
  readonly #maxEntries: number;
  readonly #subjects = new Map<string, Subject>();
  readonly #windows = new Map<string, { calls: number; endsAtMs: number }>();

  constructor({
    clock = () => performance.now(),
    maxEntries = 10_000,
  }: {
    /** Monotonic, so that a change of the machine's clock neither ends a lock nor extends it. */
    clock?: () => number;
    /** The tables are capped, because callers choose the keys (client addresses). */
    maxEntries?: number;
  } = {}) {
    this.#clock = clock;
    this.#maxEntries = maxEntries;
  }

  async reserve(key: string, policy: AttemptPolicy): Promise<Reservation> {
    const now = this.#clock();
    const subject = this.#subject(key, now);
    if (subject.lockedUntilMs > now) return { outcome: 'locked', retryAfterMs: subject.lockedUntilMs - now };
    if (failureCount(subject) + subject.inFlight.size >= policy.attempts) return { outcome: 'busy' };
    const reservationId = newSecret(12);
    subject.inFlight.set(reservationId, now + policy.reservationMs);
    return { outcome: 'reserved', reservationId };
  }

  async confirmFailure(
    key: string,
    { reservationId, about, policy }: AttemptFailure,
  ): Promise<{ locked: boolean }> {
    const now = this.#clock();
    const subject = this.#subject(key, now);
    subject.inFlight.delete(reservationId);
    subject.failures.set(about, (subject.failures.get(about) ?? 0) + 1);
    subject.failuresUntilMs = now + policy.lockMs;
    if (failureCount(subject) < policy.attempts) return { locked: false };
    subject.lockedUntilMs = now + policy.lockMs;
    subject.failures.clear();
    return { locked: true };
  }

  async giveBack(key: string, reservationId: string): Promise<void> {
    this.#subjects.get(key)?.inFlight.delete(reservationId);
  }

  async clear(key: string, about: string): Promise<void> {
    this.#subjects.get(key)?.failures.delete(about);
  }

  async countCall(
    key: string,
    { limit, windowMs }: CallWindow,
  ): Promise<{ allowed: boolean; retryAfterMs: number }> {
    const now = this.#clock();
    let window = this.#windows.get(key);
    if (!window || window.endsAtMs <= now) {
      makeRoom(this.#windows, this.#maxEntries, [(entry) => entry.endsAtMs <= now]);
      window = { calls: 0, endsAtMs: now + windowMs };
      this.#windows.set(key, window);
    }
    window.calls += 1;
    if (window.calls <= limit) return { allowed: true, retryAfterMs: 0 };
    return { allowed: false, retryAfterMs: window.endsAtMs - now };
  }

  /** Returns the subject's current state and moves it to the end of the table, so that it is dropped last. */
  #subject(key: string, now: number): Subject {
    const known = this.#subjects.get(key);
    const subject = known ?? {
      failures: new Map(),
      inFlight: new Map(),
      lockedUntilMs: 0,
      failuresUntilMs: 0,
    };
    if (!known) {
      makeRoom(this.#subjects, this.#maxEntries, [
        (entry) => isIdle(entry, now),
        (entry) => entry.lockedUntilMs <= now,
      ]);
    }
    forgetWhatHasLapsed(subject, now);
    this.#subjects.delete(key);
    this.#subjects.set(key, subject);
    return subject;
  }
}

function failureCount(subject: Subject): number {
  let count = 0;
  for (const failures of subject.failures.values()) count += failures;
  return count;
}

function forgetWhatHasLapsed(subject: Subject, now: number): void {
  if (subject.failuresUntilMs <= now) subject.failures.clear();
  for (const [id, lostAtMs] of subject.inFlight) {
    if (lostAtMs <= now) subject.inFlight.delete(id);
  }
}

function isIdle(subject: Subject, now: number): boolean {
  forgetWhatHasLapsed(subject, now);
  return subject.lockedUntilMs <= now && subject.inFlight.size === 0 && subject.failures.size === 0;
}

/**
 * Frees a place in a full table. Expired entries go first. If there are none, the older half of the removable entries
 * goes; a locked subject is not removable, or a flood of addresses would lift locks. If none is removable, the older
 * half of all entries goes.
 */
function makeRoom<Entry>(
  table: Map<string, Entry>,
  maxEntries: number,
  [isLapsed, mayGo = () => false]: ((entry: Entry) => boolean)[],
): void {
  if (table.size < maxEntries) return;
  dropWhere(table, isLapsed ?? (() => false), table.size);
  if (table.size < maxEntries) return;
  dropWhere(table, mayGo, Math.ceil(maxEntries / 2));
  if (table.size < maxEntries) return;
  dropWhere(table, () => true, Math.ceil(maxEntries / 2));
}

function dropWhere<Entry>(
  table: Map<string, Entry>,
  matches: (entry: Entry) => boolean,
  atMost: number,
): void {
  let left = atMost;
  for (const [key, entry] of table) {
    if (left === 0) return;
    if (!matches(entry)) continue;
    table.delete(key);
    left -= 1;
  }
}
