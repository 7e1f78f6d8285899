import type { ReadMark } from '@switchyard/contract/conversation/read-threads';
import { sql } from 'kysely';
import type { Owner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ConversationTables, ThreadRow } from '../tables.ts';
import { userScope } from '../user-scope.ts';

/** A place in the list of unread threads. */
export interface UnreadPosition {
  runEndedAt: string;
  threadId: string;
}

export type UnreadRow = Pick<ThreadRow, 'thread_id' | 'display_name' | 'run_ended_at'>;

/** The threads that their owners have not read yet. */
export class UnreadThreadStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  /** Leaves the thread unread when a run has ended after `seen`. Returns undefined when the thread is deleted. */
  async markRead(owner: Owner, threadId: string, seen: string | null): Promise<ReadMark | undefined> {
    const isLater = sql<boolean>`run_ended_at > ${seen}`;
    const unread = seen === null ? 0 : sql<number>`case when ${isLater} then unread else 0 end`;
    return this.#mark(owner, threadId, unread);
  }

  async markUnread(owner: Owner, threadId: string): Promise<ReadMark | undefined> {
    return this.#mark(owner, threadId, 1);
  }

  /** A page and how many there are, counted up to a limit, at one moment. */
  async list(
    userId: string,
    { maxCount, ...page }: { after: UnreadPosition | null; limit: number; maxCount: number },
  ): Promise<{ rows: UnreadRow[]; total: number }> {
    return this.#database.snapshot(async (frozen) => {
      const store = new UnreadThreadStore(frozen);
      return { rows: await store.page(userId, page), total: await store.countUpTo(userId, maxCount) };
    });
  }

  /** The last ended first. */
  async page(
    userId: string,
    { after, limit }: { after: UnreadPosition | null; limit: number },
  ): Promise<UnreadRow[]> {
    return this.#unreadOf(userId)
      .select(['thread_id', 'display_name', 'run_ended_at'])
      .$if(after !== null, (query) =>
        query.where(
          sql<boolean>`(coalesce(run_ended_at, ''), thread_id) < (${after?.runEndedAt}, ${after?.threadId})`,
        ),
      )
      .orderBy(sql`coalesce(run_ended_at, '')`, 'desc')
      .orderBy('thread_id', 'desc')
      .limit(limit)
      .execute();
  }

  /** Counts up to the limit. */
  async countUpTo(userId: string, limit: number): Promise<number> {
    const { count } = await this.#database.read
      .selectFrom(this.#unreadOf(userId).select('thread_id').limit(limit).as('unread_threads'))
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  #unreadOf(userId: string) {
    return this.#database.read
      .selectFrom('threads')
      .where('user_id', '=', userId)
      .where('unread', '=', sql.lit(1));
  }

  async #mark(
    owner: Owner,
    threadId: string,
    unread: number | ReturnType<typeof sql<number>>,
  ): Promise<ReadMark | undefined> {
    const userId = userScope(owner);
    const row = await this.#database.write((trx) =>
      trx
        .updateTable('threads')
        .set({ unread })
        .where('thread_id', '=', threadId)
        .$if(userId !== null, (query) =>
          query.where(({ eb, or }) => or([eb('user_id', '=', userId), eb('user_id', 'is', null)])),
        )
        .returning(['thread_id', 'unread', 'run_ended_at'])
        .executeTakeFirst(),
    );
    return row && { ...row, unread: row.unread === 1 };
  }
}
