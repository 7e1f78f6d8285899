import type { Database } from '../platform/database/database.ts';
import type { ConversationTables } from './tables.ts';

/** What else is a user's, beside threads and what goes with them. Assistants take their versions along. */
const owned = [
  'assistant_versions',
  'assistants',
  'store_items',
  'feedback',
  'memory_turns',
  'memory_changes',
  'channel_threads',
  'channel_messages',
] as const;

/** The rows of a user whose account is gone. */
export class UserRemovalStore {
  readonly #database: Database<ConversationTables>;

  constructor(database: Database<ConversationTables>) {
    this.#database = database;
  }

  async threadIds(userId: string, limit: number): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('threads')
      .select('thread_id')
      .where('user_id', '=', userId)
      .limit(limit)
      .execute();
    return rows.map(({ thread_id: id }) => id);
  }

  /** Which models were asked how often stays, for the sums of administrators. */
  async deleteRows(userId: string): Promise<void> {
    await this.#database.write(async (trx) => {
      for (const table of owned) await trx.deleteFrom(table).where('user_id', '=', userId).execute();
    });
  }
}
