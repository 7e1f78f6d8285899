import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { minuteMs } from '../../lib/time-units.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { type UnitPart, unitPart } from '../../platform/database/unit-part.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { RemovedThread } from '../removals.ts';
import type { ConversationTables } from '../tables.ts';
import { type DueThread, isStillDue, laterBy, type ThreadTtlStore } from './thread-ttl-store.ts';

const kind = 'threads.expire';
const sweepEveryMs = minuteMs;
/** One sweep looks at this many threads. The next one goes on with the rest. */
const maxAtOnce = 500;

/** Ends threads whose time to live has passed since anything happened in them. A thread that works is left in peace. */
export class ThreadExpiry {
  readonly #options;

  constructor(options: {
    store: Pick<ThreadTtlStore, 'due' | 'postpone'>;
    /** Deletes a thread with everything in it, unless `confirm` throws in the unit that does. */
    remove: (thread: RemovedThread, confirm: UnitPart) => Promise<void>;
    /** Removes all states of a thread but the latest, unless `confirm` throws in the unit that does. */
    keepLatest: (threadId: string, confirm: UnitPart) => Promise<unknown>;
    /** Throws `thread_busy` when a run of the thread is open. */
    requireNoOpenRun: (trx: WriteTransaction<ConversationTables>, threadId: string) => Promise<void>;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  register(jobs: Pick<Jobs, 'register'>): void {
    jobs.register(kind, () => this.sweep(), { everyMs: sweepEveryMs });
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
    if (isBusy || laterBy(thread.ttl.seconds, thread.updated_at) > now)
      return store.postpone(thread, isBusy ? now : thread.updated_at);
    const isQuiet = this.#isQuiet(thread, now);
    const end =
      thread.ttl.strategy === 'delete' ? remove(thread, isQuiet) : keepLatest(thread.thread_id, isQuiet);
    const isEnded = await end.then(() => true, unlessBusy);
    if (!isEnded || thread.ttl.strategy !== 'delete') await store.postpone(thread, now);
  }

  /** Part of the unit that ends the thread: much may have happened since it was found. */
  #isQuiet(thread: DueThread, now: string): UnitPart {
    return unitPart<ConversationTables>(async (trx) => {
      await this.#options.requireNoOpenRun(trx, thread.thread_id);
      if (!(await isStillDue(trx, thread, now))) throw new AppError('thread_busy');
    });
  }
}

function unlessBusy(error: unknown): false {
  if (error instanceof AppError && error.code === 'thread_busy') return false;
  throw error;
}
