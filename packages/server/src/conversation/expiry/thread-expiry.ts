import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { RemovedThread } from '../removals.ts';
import { type DueThread, laterBy, type ThreadTtlStore } from './thread-ttl-store.ts';

interface ThreadExpiryOptions {
  store: ThreadTtlStore;
  /** Deletes a thread with everything in it. */
  remove: (thread: RemovedThread) => Promise<void>;
  /** Removes all states of a thread but the latest. */
  keepLatest: (threadId: string) => Promise<unknown>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

const kind = 'threads.expire';
const sweepEveryMs = minuteMs;
/** How many threads one sweep looks at. The next one goes on with the rest. */
const maxAtOnce = 500;

/** Ends threads whose time to live has passed since anything happened in them. A thread that works is left in peace. */
export class ThreadExpiry {
  readonly #options: ThreadExpiryOptions;

  constructor(options: ThreadExpiryOptions) {
    this.#options = options;
  }

  register(jobs: Pick<Jobs, 'register' | 'every'>): void {
    jobs.register(kind, () => this.sweep());
    jobs.every(kind, sweepEveryMs);
  }

  async sweep(): Promise<void> {
    const { store, clock, log } = this.#options;
    const now = toIso(clock());
    for (const thread of await store.due(now, maxAtOnce)) {
      try {
        await this.#lookAt(thread, now);
      } catch (error) {
        log.warn({ err: error, threadId: thread.thread_id }, 'A thread whose time has passed stays for now');
        await store.postpone(thread, now);
      }
    }
  }

  async #lookAt(thread: DueThread, now: string): Promise<void> {
    const { store, remove, keepLatest } = this.#options;
    const isBusy = thread.status === 'busy';
    if (isBusy || laterBy(thread.ttl.seconds, thread.updated_at) > now) {
      await store.postpone(thread, isBusy ? now : thread.updated_at);
    } else if (thread.ttl.strategy === 'delete') await remove(thread);
    else {
      await keepLatest(thread.thread_id);
      await store.postpone(thread, now);
    }
  }
}
