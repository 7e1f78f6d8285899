import { systemTimer, type Timer } from '../lib/async/timer.ts';
import type { AttemptFence, AttemptStore, RunningMark } from './attempt-store.ts';

/** How late a mark may be: it rides with the commits of others instead of having a sync of its own. */
const delayMs = 20;

interface PendingMark {
  fence: AttemptFence;
  change: RunningMark;
}

/**
 * Accepted, running and progress marks. The newest of a task replaces the one that still waits; a task that ends first
 * takes its mark along into the terminal write.
 */
export class TaskMarks {
  readonly #store: Pick<AttemptStore, 'mark'>;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: Timer;
  readonly #pending = new Map<string, PendingMark>();
  #stopTimer: (() => void) | null = null;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    store: Pick<AttemptStore, 'mark'>;
    onFault: (error: unknown) => void;
    timer?: Timer;
  }) {
    this.#store = options.store;
    this.#onFault = options.onFault;
    this.#timer = options.timer ?? systemTimer;
  }

  mark(fence: AttemptFence, change: RunningMark): void {
    const earlier = this.#pending.get(fence.taskId);
    const isSameAttempt = earlier?.fence.attempt === fence.attempt && earlier.fence.token === fence.token;
    this.#pending.set(fence.taskId, {
      fence,
      change: isSameAttempt ? { ...earlier.change, ...change } : change,
    });
    this.#stopTimer ??= this.#timer(() => this.#flush(), delayMs);
  }

  /** Removes and answers what has not been written of this attempt. */
  take(fence: AttemptFence): RunningMark | null {
    const pending = this.#pending.get(fence.taskId);
    if (pending?.fence.attempt !== fence.attempt) return null;
    this.#pending.delete(fence.taskId);
    return pending.change;
  }

  /** Writes what waits; used before closing. */
  async settle(): Promise<void> {
    this.#flush();
    await this.#flushing;
  }

  #flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
    if (this.#pending.size === 0) return;
    const marks = [...this.#pending.values()];
    this.#pending.clear();
    // A lost mark is made good by the next one or by the terminal write; the truth on the worker is not touched by it.
    const written = this.#store.mark(marks).then(() => undefined, this.#onFault);
    this.#flushing = Promise.all([this.#flushing, written]).then(() => undefined);
  }
}
