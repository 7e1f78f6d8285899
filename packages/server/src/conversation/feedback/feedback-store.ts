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

  /** The thread of a run of the owner. */
  async threadOf(owner: Owner, runId: string): Promise<string | undefined> {
    return (await findRun(this.#database.read, owner, runId))?.thread_id;
  }

  /** In place of what the user said before, which keeps its id. A run that is gone meanwhile is not found. */
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

  /** The oldest first. */
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

  /** The owner's feedback on runs of a thread, by run: what lists of messages show beside them. */
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

  /** False when there was none of the owner's. Without an id whatever the owner said of the run. */
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

/** Part of the unit that removes what a user had. */
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
