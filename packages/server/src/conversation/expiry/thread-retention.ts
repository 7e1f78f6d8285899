import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { hourMs } from '../../lib/time-units.ts';
import { type Actor, type Audit, systemActor } from '../../platform/audit/audit.ts';
import type { WriteTransaction } from '../../platform/database/database.ts';
import { type UnitPart, unitPart } from '../../platform/database/unit-part.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { RemovedThread } from '../removals.ts';
import type { ConversationTables } from '../tables.ts';
import { isStillOld, type OldThreadsOfUser, type ThreadRetentionStore } from './thread-retention-store.ts';

const kind = 'threads.retain';
const sweepEveryMs = hourMs;
/** One step, which one request waits for. */
const maxInStep = 200;
/** One sweep. The next one goes on with the rest. */
const maxInSweep = 10_000;
const maxListedUsers = 1_000;

/** The threads that are meant: those of one user, or all. */
export interface Chosen {
  /** The age since the last change; that of the configuration when it is absent. */
  ageMs?: number | undefined;
  userId?: string | undefined;
}

/** Deletes threads in which nothing has changed for the time that the operator keeps them. */
export class ThreadRetention {
  readonly #options;

  constructor(options: {
    store: Pick<ThreadRetentionStore, 'ownerAfter' | 'count' | 'list'>;
    /** Deletes a thread with everything in it, unless `confirm` throws in the unit that does. */
    remove: (thread: RemovedThread, confirm: UnitPart) => Promise<void>;
    /** Throws `thread_busy` when a run of the thread is open. */
    requireNoOpenRun: (trx: WriteTransaction<ConversationTables>, threadId: string) => Promise<void>;
    audit: Pick<Audit, 'add'>;
    /** `conversation.thread_retention`; null when threads stay. */
    keptMs: number | null;
    clock: Clock;
    log: Pick<Log, 'warn'>;
  }) {
    this.#options = options;
  }

  register(jobs: Pick<Jobs, 'register'>): void {
    jobs.register(kind, () => this.sweep(), { everyMs: sweepEveryMs });
  }

  async sweep(): Promise<void> {
    if (this.#options.keptMs !== null) await this.#delete({}, systemActor('thread retention'), maxInSweep);
  }

  async preview(chosen: Chosen) {
    const before = this.#before(chosen);
    const users: OldThreadsOfUser[] = [];
    let threads = 0;
    let leftOut = 0;
    for await (const userId of this.#owners(chosen)) {
      const found = await this.#options.store.count(userId, before);
      if (!found) continue;
      threads += found.count;
      if (users.length < maxListedUsers) users.push(found);
      else leftOut += 1;
    }
    return { before, threads, users, leftOut };
  }

  /** Deletes some of them. */
  async step(chosen: Chosen, actor: Actor) {
    return this.#delete(chosen, actor, maxInStep);
  }

  async #delete(chosen: Chosen, actor: Actor, limit: number) {
    const { store, audit } = this.#options;
    const before = this.#before(chosen);
    const done = { deleted: 0, kept: 0 };
    let more = false;
    for await (const userId of this.#owners(chosen)) {
      for (const thread of await store.list(userId, before, limit - done.deleted - done.kept))
        done[(await this.#isDeleted(thread, before)) ? 'deleted' : 'kept'] += 1;
      more = done.deleted + done.kept === limit;
      if (more) break;
    }
    if (done.deleted > 0)
      await audit.add(actor, {
        action: 'threads.expired',
        target: chosen.userId === undefined ? null : ['user', chosen.userId],
        details: { threads: done.deleted, before },
      });
    return { before, ...done, more };
  }

  async #isDeleted(thread: RemovedThread, before: string): Promise<boolean> {
    const { remove, log } = this.#options;
    try {
      await remove(thread, this.#isStillOld(thread, before));
      return true;
    } catch (error) {
      // A run has begun in it, or its owner has deleted it.
      const isExpected =
        error instanceof AppError && ['thread_busy', 'thread_not_found'].includes(error.code);
      if (!isExpected)
        log.warn(
          { err: error, threadId: thread.thread_id },
          'A thread that is old enough could not be deleted',
        );
      return false;
    }
  }

  /** Part of the unit that deletes the thread: much may have happened since it was found. */
  #isStillOld({ thread_id }: RemovedThread, before: string): UnitPart {
    return unitPart<ConversationTables>(async (trx) => {
      await this.#options.requireNoOpenRun(trx, thread_id);
      if (!(await isStillOld(trx, thread_id, before))) throw new AppError('thread_busy');
    });
  }

  /** Threads without an owner are shared records, which stay. */
  async *#owners({ userId }: Chosen): AsyncGenerator<string> {
    if (userId !== undefined) return yield userId;
    for (let next = await this.#options.store.ownerAfter(''); next !== null; ) {
      yield next;
      next = await this.#options.store.ownerAfter(next);
    }
  }

  #before({ ageMs }: Chosen): string {
    const { keptMs, clock } = this.#options;
    const age = ageMs ?? keptMs;
    if (age !== null) return toIso(clock() - age);
    throw new AppError('validation_failed', {
      message:
        'older_than_seconds is needed, because conversation.thread_retention is not set: threads are kept.',
    });
  }
}
