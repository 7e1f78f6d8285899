import { BoundedQueue } from '../../../lib/async/bounded-queue.ts';
import type { RunRow } from '../../tables.ts';

export type StartedRun = Pick<RunRow, 'run_id' | 'thread_id' | 'admission'>;

/** A follower of a thread that falls this many runs behind is disconnected. */
const runsKept = 1_000;

/** Tells the followers of a thread about each run that is admitted to it, once it is on disk. */
export class RunStarts {
  readonly #followersOf = new Map<string, Set<BoundedQueue<StartedRun>>>();
  /** The latest run of each followed thread that its followers know. */
  readonly #newestOf = new Map<string, number>();

  /** Followed threads with the latest run that their followers know. */
  get followed(): { threadId: string; admission: number }[] {
    return [...this.#newestOf].map(([threadId, admission]) => ({ threadId, admission }));
  }

  /** The latest run that followers know; undefined when the thread has none. */
  newestOf(threadId: string): number | undefined {
    return this.#newestOf.get(threadId);
  }

  /** A run that followers know changes nothing. */
  announce({ run_id, thread_id, admission }: StartedRun): void {
    const newest = this.#newestOf.get(thread_id);
    if (newest === undefined || admission <= newest) return;
    this.#newestOf.set(thread_id, admission);
    for (const queue of this.#followersOf.get(thread_id) ?? []) {
      if (!queue.push({ run_id, thread_id, admission })) queue.end(new Error('The follower fell behind.'));
    }
  }

  /**
   * Yields new runs in the order of admission, until the signal aborts or the loop is left. `newest` is the latest run that the
   * follower has read before.
   */
  follow(threadId: string, signal: AbortSignal, newest: number): AsyncIterable<StartedRun> {
    const queue = new BoundedQueue<StartedRun>(runsKept);
    const followers = this.#followersOf.get(threadId) ?? new Set();
    this.#followersOf.set(threadId, followers.add(queue));
    // Others may know more already; then this follower finds those runs among the present ones.
    if (!this.#newestOf.has(threadId)) this.#newestOf.set(threadId, newest);
    const leave = (): void => {
      queue.end();
      followers.delete(queue);
      if (followers.size > 0 || this.#followersOf.get(threadId) !== followers) return;
      this.#followersOf.delete(threadId);
      this.#newestOf.delete(threadId);
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    return leaving(queue, leave);
  }
}

async function* leaving(queue: BoundedQueue<StartedRun>, leave: () => void): AsyncGenerator<StartedRun> {
  try {
    yield* queue;
  } finally {
    leave();
  }
}
