import type { Feedback, NewFeedback } from '@switchyard/contract/conversation/feedback';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import { runNotFound } from '../journal/run-not-found.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { userScope } from '../user-scope.ts';
import type { FeedbackStore } from './feedback-store.ts';

interface RunName {
  threadId: string;
  runId: string;
}

export interface FeedbackStats {
  run_id: string;
  total: number;
  positive: number;
  negative: number;
  rating_sum: number;
}

/** The users' feedback on runs: thumbs up or down, one for each run and user. */
export class RunFeedback {
  readonly #options;

  constructor(options: {
    store: FeedbackStore;
    access: ThreadAccess;
    /** Feedback needs a database that lasts. */
    isAvailable: boolean;
    clock: Clock;
    newId: () => string;
  }) {
    this.#options = options;
  }

  async set(owner: Owner, run: RunName, { rating, comment, message_id }: NewFeedback): Promise<Feedback> {
    const { store, clock, newId } = this.#options;
    this.#requireAvailable();
    if (rating !== 1 && rating !== -1) throw new AppError('rating_invalid');
    await this.#findsRun(owner, run, { mustExist: true });
    return store.upsert(owner, {
      feedback_id: newId(),
      thread_id: run.threadId,
      run_id: run.runId,
      user_id: requireUser(owner),
      rating,
      comment: comment ?? null,
      message_id: message_id ?? null,
      created_at: toIso(clock()),
    });
  }

  async list(owner: Owner, run: RunName): Promise<Feedback[]> {
    if (!(await this.#findsRun(owner, run, { mustExist: false }))) return [];
    return this.#options.store.ofRun(owner, run.runId);
  }

  /** Needs no thread: the owner of the run decides. */
  async listOfRun(owner: Owner, runId: string): Promise<Feedback[]> {
    this.#requireAvailable();
    if ((await this.#options.store.threadOf(owner, runId)) === undefined) throw runNotFound(runId);
    return this.#options.store.ofRun(owner, runId);
  }

  async stats(owner: Owner, run: RunName): Promise<FeedbackStats> {
    const ratings = (await this.list(owner, run)).map(({ rating }) => rating);
    return {
      run_id: run.runId,
      total: ratings.length,
      positive: ratings.filter((rating) => rating > 0).length,
      negative: ratings.filter((rating) => rating < 0).length,
      rating_sum: ratings.reduce((sum, rating) => sum + rating, 0),
    };
  }

  /** Without an id it deletes the caller's feedback on the run. */
  async delete(owner: Owner, run: RunName, feedbackId: string | null): Promise<void> {
    await this.#findsRun(owner, run, { mustExist: true });
    if (await this.#options.store.delete(owner, { ...run, feedbackId })) return;
    if (feedbackId === null) throw new AppError('feedback_not_found');
    throw new AppError('feedback_not_found', { message: `Feedback ${feedbackId} not found` });
  }

  /** False for a thread that does not exist, which has no runs. Throws when the thread exists and has no such run. */
  async #findsRun(
    owner: Owner,
    { threadId, runId }: RunName,
    { mustExist }: { mustExist: boolean },
  ): Promise<boolean> {
    this.#requireAvailable();
    const { access, store } = this.#options;
    const thread = await access.require(owner, threadId, { mustExist });
    if ((await store.threadOf(owner, runId)) === threadId) return true;
    if (thread) throw runNotFound(runId);
    return false;
  }

  #requireAvailable(): void {
    if (!this.#options.isAvailable) throw new AppError('feedback_unavailable');
  }
}

function requireUser(owner: Owner): string {
  const userId = userScope(owner);
  if (userId === null) throw new Error("Feedback is a user's. Pass { user }.");
  return userId;
}
