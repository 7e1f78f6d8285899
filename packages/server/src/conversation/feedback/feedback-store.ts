import type { Insertable } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Owner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';
import type { ConversationTables, FeedbackRow, FeedbackTable, RunRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';

type Read = Database<ConversationTables>['read'];

/** Feedback as rows: at most one for each run and user. */
export class FeedbackStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** The thread of one of the owner's runs. */
  async threadOf(owner: Owner, runId: string): Promise<string | undefined> {
    return (await findRun(this.#database.read, owner, runId))?.thread_id;
  }

  /** Replaces the user's earlier feedback and keeps its id. Throws when the run was deleted meanwhile. */
  async upsert(owner: Owner, row: Insertable<FeedbackTable>): Promise<FeedbackRow> {
    const { message_id = null, rating, comment = null, created_at } = row;
    return this.#database.write(async (trx) => {
      const run = await findRun(trx, owner, row.run_id);
      if (run?.thread_id !== row.thread_id) throw new AppError('run_not_found');
      return trx
        .insertInto('feedback')
        .values(row)
        .onConflict((conflict) =>
          conflict
            .columns(['thread_id', 'run_id', 'user_id'])
            .doUpdateSet({ message_id, rating, comment, created_at }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
    });
  }

  /** Oldest first. */
  async ofRun(owner: Owner, runId: string): Promise<FeedbackRow[]> {
    const userId = userScope(owner);
    return this.#database.read
      .selectFrom('feedback')
      .selectAll()
      .where('run_id', '=', runId)
      .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
      .orderBy('created_at')
      .orderBy('feedback_id')
      .execute();
  }

  /** The owner's feedback on runs of a thread, by run. Lists of messages show it. */
  async ofRuns(owner: Owner, threadId: string, runIds: readonly string[]): Promise<Map<string, FeedbackRow>> {
    const userId = userScope(owner);
    const rows = await this.#database.read
      .selectFrom('feedback')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where(isOneOf(this.#database.dialect, { column: 'run_id', values: runIds }))
      .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
      .execute();
    return new Map(rows.map((row) => [row.run_id, row]));
  }

  /** Returns false when the owner had given none. Without an id it deletes the owner's feedback on the run. */
  async delete(
    owner: Owner,
    { threadId, runId, feedbackId }: { threadId: string; runId: string; feedbackId: string | null },
  ): Promise<boolean> {
    const userId = userScope(owner);
    const deleted = await this.#database.write((trx) =>
      trx
        .deleteFrom('feedback')
        .where('thread_id', '=', threadId)
        .where('run_id', '=', runId)
        .$if(feedbackId !== null, (query) => query.where('feedback_id', '=', feedbackId ?? ''))
        .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
        .executeTakeFirst(),
    );
    return deleted.numDeletedRows > 0n;
  }
}

/** Part of the unit that deletes a thread. */
export async function forgetFeedback(
  trx: WriteTransaction<ConversationTables>,
  threadId: string,
): Promise<void> {
  await trx.deleteFrom('feedback').where('thread_id', '=', threadId).execute();
}

/** Part of the unit that removes a user's data. */
export async function forgetFeedbackOfUser(
  trx: WriteTransaction<ConversationTables>,
  userId: string,
): Promise<void> {
  await trx.deleteFrom('feedback').where('user_id', '=', userId).execute();
}

/** Part of the unit that deletes a run. */
export async function forgetFeedbackOfRun(
  trx: WriteTransaction<ConversationTables>,
  { threadId, runId }: { threadId: string; runId: string },
): Promise<void> {
  await trx.deleteFrom('feedback').where('thread_id', '=', threadId).where('run_id', '=', runId).execute();
}

async function findRun(
  read: Read,
  owner: Owner,
  runId: string,
): Promise<Pick<RunRow, 'thread_id'> | undefined> {
  const userId = userScope(owner);
  return read
    .selectFrom('runs')
    .select('thread_id')
    .where('run_id', '=', runId)
    .$if(userId !== null, (query) => query.where('user_id', '=', userId ?? ''))
    .executeTakeFirst();
}
