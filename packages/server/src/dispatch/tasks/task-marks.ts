import { systemTimer, type Timer } from '../../lib/async/timer.ts';
import { type Clock, steadyClock } from '../../lib/clock.ts';
import type { AttemptFence, AttemptStore, RunningMark } from './attempt-store.ts';

/** `soon` is for what a reader waits for, `later` for progress, which changes many times a second. */
export type MarkDue = 'soon' | 'later';

/**
 * How late a mark may be. A task that ends within this time needs no mark. When any mark is written, those that have
 * waited for `fromMs` are written in the same commit, so that each mark does not need its own.
 */
const delays: Record<MarkDue, { fromMs: number; dueMs: number }> = {
  soon: { fromMs: 30, dueMs: 40 },
  later: { fromMs: 250, dueMs: 500 },
};

interface PendingMark {
  fence: AttemptFence;
  change: RunningMark;
  fromMs: number;
  dueMs: number;
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
  readonly #pending = new Map<string, PendingMark>();
  #planned: { dueMs: number; stop: () => void } | null = null;
  /** One write at a time: two over the same tasks might wait for each other. */
  #writing: Promise<void> | null = null;

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

  mark(fence: AttemptFence, change: RunningMark, due: MarkDue): void {
    const earlier = this.#pending.get(fence.taskId);
    const isSameAttempt = earlier?.fence.attempt === fence.attempt && earlier.fence.token === fence.token;
    const nowMs = this.#clock();
    const pending = {
      fence,
      change: isSameAttempt ? { ...earlier.change, ...change } : change,
      fromMs: Math.min(earlier?.fromMs ?? Number.POSITIVE_INFINITY, nowMs + delays[due].fromMs),
      dueMs: Math.min(earlier?.dueMs ?? Number.POSITIVE_INFINITY, nowMs + delays[due].dueMs),
    };
    this.#pending.set(fence.taskId, pending);
    this.#plan(pending.dueMs);
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
    while (this.#writing !== null) await this.#writing;
    this.#planned?.stop();
    this.#planned = null;
    this.#write([...this.#pending.values()]);
    if (this.#writing !== null) await this.#writing;
  }

  #plan(dueMs: number): void {
    if (this.#planned && this.#planned.dueMs <= dueMs) return;
    this.#planned?.stop();
    this.#planned = { dueMs, stop: this.#timer(() => this.#writeDue(), dueMs - this.#clock()) };
  }

  #writeDue(): void {
    this.#planned?.stop();
    this.#planned = null;
    if (this.#writing !== null) return;
    const nowMs = this.#clock();
    const marks = [...this.#pending.values()];
    if (marks.some(({ dueMs }) => dueMs <= nowMs)) this.#write(marks.filter(({ fromMs }) => fromMs <= nowMs));
    if (this.#pending.size === 0) return;
    this.#plan(Math.min(...[...this.#pending.values()].map(({ dueMs }) => dueMs)));
  }

  #write(marks: readonly PendingMark[]): void {
    if (marks.length === 0) return;
    for (const { fence } of marks) this.#pending.delete(fence.taskId);
    // The next mark or the terminal write makes up for a lost mark, and the execution on the worker does not depend on
    // it.
    this.#writing = this.#store
      .mark(marks)
      .catch(this.#onFault)
      .then(() => {
        this.#writing = null;
        this.#writeDue();
      });
  }
}
