import { type Deferred, newDeferred } from '../../lib/async/deferred.ts';
import type { Timer } from '../../lib/async/timer.ts';

interface WaitOptions {
  /** The `turn` before the check that found the key taken. */
  turn: number;
  delayMs: number;
  signal: AbortSignal;
}

/** Callers of this process wait here for a key that another process holds. */
export class WaitingRoom {
  readonly #timer: Timer;
  readonly #waiting = new Map<string, Set<Deferred<void>>>();
  #turn = 0;

  constructor(timer: Timer) {
    this.#timer = timer;
  }

  get turn(): number {
    return this.#turn;
  }

  wake(key: string): void {
    this.#turn += 1;
    for (const waiting of this.#waiting.get(key) ?? []) waiting.resolve();
  }

  /** For a moment at which any key may have been given back unheard. */
  wakeAll(): void {
    for (const key of [...this.#waiting.keys()]) this.wake(key);
    this.#turn += 1;
  }

  /**
   * Ends after the delay, on a wake or on an abort. Ends at once when a wake came after the check, because the caller
   * has missed it.
   */
  async wait(key: string, { turn, delayMs, signal }: WaitOptions): Promise<void> {
    if (turn !== this.#turn || signal.aborted) return;
    const woken: Deferred<void> = newDeferred();
    const wake = (): void => woken.resolve();
    const others = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, others.add(woken));
    signal.addEventListener('abort', wake, { once: true });
    const cancelTimer = this.#timer(wake, delayMs);
    await woken.promise;
    cancelTimer();
    signal.removeEventListener('abort', wake);
    others.delete(woken);
    if (others.size === 0) this.#waiting.delete(key);
  }
}
