import type { SelectQueryBuilder } from 'kysely';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { RemovedThread } from '../removals.ts';
import type { ConversationTables, ThreadTable } from '../tables.ts';

export interface OldThreadsOfUser {
  userId: string;
  count: number;
  oldest: string;
}

/** The threads in which nothing has changed since a moment, and which no one waits for. */
export class ThreadRetentionStore {
  readonly #database: Pick<Database<ConversationTables>, 'read'>;

  constructor(database: Pick<Database<ConversationTables>, 'read'>) {
    this.#database = database;
  }

  /** Returns the first owner of threads after this one, read from the index of owners. */
  async ownerAfter(userId: string): Promise<string | null> {
    const next = await this.#database.read
      .selectFrom('threads')
      .select('user_id')
      .where('user_id', '>', userId)
      .orderBy('user_id')
      .limit(1)
      .executeTakeFirst();
    return next?.user_id ?? null;
  }

  async count(userId: string, before: string): Promise<OldThreadsOfUser | null> {
    const { count, oldest } = await old(this.#database.read.selectFrom('threads'), before)
      .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('updated_at').as('oldest')])
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    return Number(count) === 0 ? null : { userId, count: Number(count), oldest };
  }

  /** Counts those of all users, up to a limit. */
  async countAll(before: string, limit: number): Promise<number> {
    const { read } = this.#database;
    const found = old(read.selectFrom('threads'), before)
      .select('thread_id')
      .where('user_id', 'is not', null)
      .limit(limit);
    const counted = read.selectFrom(found.as('old')).select(({ fn }) => fn.countAll<number>().as('count'));
    return Number((await counted.executeTakeFirstOrThrow()).count);
  }

  /** The oldest first. */
  async list(userId: string, before: string, limit: number): Promise<RemovedThread[]> {
    return old(this.#database.read.selectFrom('threads'), before)
      .select(['thread_id', 'user_id'])
      .where('user_id', '=', userId)
      .orderBy('updated_at')
      .orderBy('thread_id')
      .limit(limit)
      .execute();
  }
}

/**
 * Part of the unit that deletes the thread. Returns whether it is still one of these threads. It locks the thread's row, so that nothing
 * happens in it before the unit has ended.
 */
export async function isStillOld(
  trx: WriteTransaction<ConversationTables>,
  threadId: string,
  before: string,
): Promise<boolean> {
  await trx
    .updateTable('threads')
    .set((update) => ({ status: update.ref('status') }))
    .where('thread_id', '=', threadId)
    .execute();
  const found = await old(trx.selectFrom('threads'), before)
    .select('thread_id')
    .where('thread_id', '=', threadId)
    .executeTakeFirst();
  return found !== undefined;
}

/** A thread whose run waits for an answer is `interrupted`. A schedule that has ended holds no thread. */
function old(
  threads: SelectQueryBuilder<ConversationTables, 'threads', object>,
  before: string,
): SelectQueryBuilder<ConversationTables, 'threads', object> {
  const quiet: ThreadTable['status'][] = ['idle', 'error'];
  return threads
    .where('threads.status', 'in', quiet)
    .where('threads.updated_at', '<=', before)
    .where('threads.pinned', '<>', '1')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('schedules')
            .select('schedules.schedule_id')
            .whereRef('schedules.user_id', '=', 'threads.user_id')
            .whereRef('schedules.thread_id', '=', 'threads.thread_id')
            .where('schedules.status', 'in', ['enabled', 'paused', 'running']),
        ),
      ),
    );
}
