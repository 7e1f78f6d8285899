import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, steadyClock } from '../../lib/clock.ts';
import type { AttemptFence, AttemptStore, RunningMark } from './attempt-store.ts';

/** How late a mark may be. A task that ends within this time needs no mark. */
const delayMs = 40;
/** Marks that are due this soon are written in the same commit, so that each mark does not need its own. */
const togetherMs = 10;

interface PendingMark {
  fence: AttemptFence;
  change: RunningMark;
  /** When the first of the marks arrived that this one replaces. */
  sinceMs: number;
}

/**
 * Accepted, running and progress marks. The newest mark of a task replaces one that still waits; a task that ends first
 * puts its mark into the terminal write.
 */
export class TaskMarks {
  readonly #store: Pick<AttemptStore, 'mark'>;
  readonly #onFault: (error: unknown) => void;
  readonly #timer: Timer;
  readonly #clock: Clock;
  /** In the order in which they are due. */
  readonly #pending = new Map<string, PendingMark>();
  #stopTimer: (() => void) | null = null;
  #flushing: Promise<void> = Promise.resolve();

  constructor(options: {
    store: Pick<AttemptStore, 'mark'>;
    onFault: (error: unknown) => void;
    timer?: Timer;
    clock?: Clock;
  }) {
    this.#store = options.store;
    this.#onFault = options.onFault;
    this.#timer = options.timer ?? systemTimer;
    this.#clock = options.clock ?? steadyClock;
  }

  mark(fence: AttemptFence, change: RunningMark): void {
    const earlier = this.#pending.get(fence.taskId);
    const isSameAttempt = earlier?.fence.attempt === fence.attempt && earlier.fence.token === fence.token;
    this.#pending.set(fence.taskId, {
      fence,
      change: isSameAttempt ? { ...earlier.change, ...change } : change,
      sinceMs: earlier?.sinceMs ?? this.#clock(),
    });
    this.#stopTimer ??= this.#timer(() => this.#writeDue(), delayMs);
  }

  /** Removes and returns the unwritten mark of this attempt. */
  take(fence: AttemptFence): RunningMark | null {
    const pending = this.#pending.get(fence.taskId);
    if (pending?.fence.attempt !== fence.attempt) return null;
    this.#pending.delete(fence.taskId);
    return pending.change;
  }

  /** Writes the waiting marks; used before closing. */
  async settle(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = null;
    this.#write([...this.#pending.values()]);
    await this.#flushing;
  }

  #writeDue(): void {
    this.#stopTimer = null;
    const since = this.#clock() - delayMs + togetherMs;
    this.#write([...this.#pending.values()].filter(({ sinceMs }) => sinceMs <= since));
    const [next] = this.#pending.values();
    if (next) this.#stopTimer = this.#timer(() => this.#writeDue(), next.sinceMs + delayMs - this.#clock());
  }

  #write(marks: readonly PendingMark[]): void {
    if (marks.length === 0) return;
    for (const { fence } of marks) this.#pending.delete(fence.taskId);
    // The next mark or the terminal write makes up for a lost mark, and the execution on the worker does not depend on
    // it.
    const written = this.#store.mark(marks).then(() => undefined, this.#onFault);
    this.#flushing = Promise.all([this.#flushing, written]).then(() => undefined);
  }
}
