import { sql } from 'kysely';
import { ThreadCheckpoints } from '../../agents/checkpoints/thread-checkpoint-store.ts';
import type { ConversationTables } from '../../conversation/tables.ts';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database } from '../../platform/database/database.ts';
import { isOneOf } from '../../platform/database/dialect.ts';

/** The owner of a thread. `unadopted`: it has a saved state and no record, so the next start gives it an owner. */
export type ThreadFate =
  | { kind: 'owned'; owner: string }
  | { kind: 'ownerless' | 'unknown' | 'deleted' | 'unadopted' };

/** Returns the owners of threads, for files that do not name them. */
export class ThreadOwnerStore {
  readonly #database: Database<ConversationTables>;
  readonly #checkpoints: ThreadCheckpoints;

  constructor(database: Database<unknown>) {
    this.#database = database.withTables<ConversationTables>();
    this.#checkpoints = new ThreadCheckpoints(database);
  }

  /** Returns whether a gateway has created its tables in this database. */
  async isReady(owner: Owner): Promise<boolean> {
    requireOwner(owner);
    const { dialect, read } = this.#database;
    const known =
      dialect === 'postgres'
        ? sql`select table_name as name from information_schema.tables where table_schema = current_schema()`
        : sql`select name from sqlite_master where type = 'table'`;
    const { rows } = await known.execute(read);
    const names = new Set((rows as { name: string }[]).map(({ name }) => name));
    return ['threads', 'deleted_threads', 'checkpoints'].every((name) => names.has(name));
  }

  /** The list may have any length. An id that is missing from the result is unknown. */
  async of(owner: Owner, threadIds: readonly string[]): Promise<Map<string, ThreadFate>> {
    requireOwner(owner);
    const { dialect, read } = this.#database;
    const isAsked = isOneOf(dialect, { column: 'thread_id', values: threadIds });
    const threads = await read
      .selectFrom('threads')
      .select(['thread_id', 'user_id'])
      .where(isAsked)
      .execute();
    const deleted = await read.selectFrom('deleted_threads').select('thread_id').where(isAsked).execute();
    const fates = new Map<string, ThreadFate>();
    for (const { thread_id } of deleted) fates.set(thread_id, { kind: 'deleted' });
    for (const { thread_id, user_id } of threads) {
      fates.set(thread_id, user_id === null ? { kind: 'ownerless' } : { kind: 'owned', owner: user_id });
    }
    for (const threadId of threadIds) {
      if (fates.has(threadId)) continue;
      if (await this.#checkpoints.exist(threadId)) fates.set(threadId, { kind: 'unadopted' });
    }
    return fates;
  }
}
