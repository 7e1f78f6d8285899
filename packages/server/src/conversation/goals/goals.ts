import type { GoalBody, GoalState } from '@switchyard/contract/conversation/goal';
import { AppError } from '../../lib/app-error.ts';
import { type Clock, toIso } from '../../lib/clock.ts';
import type { Owner } from '../../lib/owner.ts';
import type { ThreadAccess } from '../threads/thread-access.ts';
import { goalView } from './goal.ts';
import type { GoalStore } from './goal-store.ts';

const standardContinuations = 8;

/** The operations of users on the goals of their threads. */
export class Goals {
  readonly #options;

  constructor(options: {
    access: Pick<ThreadAccess, 'require'>;
    store: Pick<GoalStore, 'find' | 'set' | 'clear'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  async get(owner: Owner, threadId: string): Promise<GoalState | null> {
    const { access, store } = this.#options;
    await access.require(owner, threadId, { mustExist: false });
    const row = await store.find(threadId);
    return row ? goalView(row) : null;
  }

  async set(
    owner: Owner,
    threadId: string,
    { objective, max_continuations = standardContinuations }: GoalBody,
  ): Promise<GoalState> {
    const { access, store, clock } = this.#options;
    await access.require(owner, threadId, { mustExist: false });
    const at = toIso(clock());
    const row = {
      thread_id: threadId,
      objective: objective.trim().replace(/\s+/g, ' '),
      continuation_count: 0,
      max_continuations,
      no_progress_count: 0,
      last_evaluation: null,
      created_at: at,
      updated_at: at,
    };
    await store.set(owner, row, inFlight('Set'));
    return goalView(row);
  }

  async clear(owner: Owner, threadId: string): Promise<void> {
    const { access, store } = this.#options;
    await access.require(owner, threadId, { mustExist: false });
    await store.clear(threadId, inFlight('Clear'));
  }
}

function inFlight(what: 'Set' | 'Clear'): AppError {
  return new AppError('thread_busy', {
    message: `Thread has a run in flight. ${what} the goal after the run finishes.`,
  });
}
