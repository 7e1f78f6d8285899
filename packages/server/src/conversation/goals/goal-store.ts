import type { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { type UnitPart, unitPart } from '../../platform/database/unit-part.ts';
import { hasOpenRun, lockRuns } from '../runs/records/run-store.ts';
import type { ConversationTables, ThreadGoalRow } from '../tables.ts';
import { createIfMissing } from '../threads/thread-store.ts';

type Trx = WriteTransaction<ConversationTables>;

/** The goals of threads. Callers have checked whose thread it is. */
export class GoalStore {
  readonly #database: Pick<Database<ConversationTables>, 'read' | 'write'>;

  constructor(database: Pick<Database<ConversationTables>, 'read' | 'write'>) {
    this.#database = database;
  }

  async find(threadId: string): Promise<ThreadGoalRow | undefined> {
    return this.#database.read
      .selectFrom('thread_goals')
      .selectAll()
      .where('thread_id', '=', threadId)
      .executeTakeFirst();
  }

  /** Replaces the goal of a thread, which is made when it does not exist. Throws `inFlight` while a run of it is open. */
  async set(owner: Owner, goal: ThreadGoalRow, inFlight: AppError): Promise<void> {
    const { thread_id: threadId, created_at: at, ...row } = goal;
    await this.#database.write(async (trx, lastly) => {
      await lockRuns(trx, threadId);
      await createIfMissing(trx, owner, { threadId, at, lastly });
      if (await hasOpenRun(trx, threadId)) throw inFlight;
      await trx
        .insertInto('thread_goals')
        .values(goal)
        .onConflict((conflict) => conflict.column('thread_id').doUpdateSet({ ...row, created_at: at }))
        .execute();
    });
  }

  /** Throws `inFlight` for a goal of a thread with an open run. */
  async clear(threadId: string, inFlight: AppError): Promise<void> {
    await this.#database.write(async (trx) => {
      await lockRuns(trx, threadId);
      const cleared = await forgetGoal(trx, threadId);
      if (cleared && (await hasOpenRun(trx, threadId))) throw inFlight;
    });
  }

  /** Returns whether another run of the thread waits. */
  async othersWait(threadId: string, runId: string): Promise<boolean> {
    const other = await this.#database.read
      .selectFrom('runs')
      .select('run_id')
      .where('thread_id', '=', threadId)
      .where('ended_at', 'is', null)
      .where('run_id', '!=', runId)
      .limit(1)
      .executeTakeFirst();
    return other !== undefined;
  }
}

/** Part of a unit of a run: what has become of the goal. Null takes it away. A goal that was deleted meanwhile stays away. */
export function writeGoal(threadId: string, goal: ThreadGoalRow | null): UnitPart {
  return unitPart<ConversationTables>(async (trx) => {
    if (goal === null) {
      await forgetGoal(trx, threadId);
      return;
    }
    const { thread_id: _, ...change } = goal;
    await trx.updateTable('thread_goals').set(change).where('thread_id', '=', threadId).execute();
  });
}

/** Part of a unit. Returns whether there was one. */
export async function forgetGoal(trx: Trx, threadId: string): Promise<boolean> {
  const deleted = await trx.deleteFrom('thread_goals').where('thread_id', '=', threadId).executeTakeFirst();
  return deleted.numDeletedRows > 0n;
}
