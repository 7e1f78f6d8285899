import { BoundedQueue } from '../../../lib/async/bounded-queue.ts';
import type { RunRow } from '../../tables.ts';

export type StartedRun = Pick<RunRow, 'run_id' | 'thread_id' | 'admission'>;

/** A follower of a thread that falls this many runs behind is disconnected. */
const runsKept = 1_000;

/** Tells the followers of a thread about each run that is admitted to it in this process, once it is on disk. */
export class RunStarts {
  readonly #followersOf = new Map<string, Set<BoundedQueue<StartedRun>>>();

  announce({ run_id, thread_id, admission }: StartedRun): void {
    for (const queue of this.#followersOf.get(thread_id) ?? []) {
      if (!queue.push({ run_id, thread_id, admission })) queue.end(new Error('The follower fell behind.'));
    }
  }

  /** Yields new runs in the order of admission, until the signal aborts or the loop is left. */
  follow(threadId: string, signal: AbortSignal): AsyncIterable<StartedRun> {
    const queue = new BoundedQueue<StartedRun>(runsKept);
    const followers = this.#followersOf.get(threadId) ?? new Set();
    this.#followersOf.set(threadId, followers.add(queue));
    const leave = (): void => {
      queue.end();
      followers.delete(queue);
      if (followers.size === 0 && this.#followersOf.get(threadId) === followers)
        this.#followersOf.delete(threadId);
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
