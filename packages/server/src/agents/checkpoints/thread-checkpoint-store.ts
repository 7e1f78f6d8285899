import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import { lockName } from '../../platform/database/dialect.ts';
import type { CheckpointTables } from './tables.ts';

const tables = ['checkpoints', 'checkpoint_writes', 'checkpoint_values'] as const;

/** Answers questions about saved states without LangChain, which takes long to load. */
export class ThreadCheckpoints {
  readonly #database: Database<CheckpointTables>;

  constructor(database: Database<unknown>) {
    this.#database = database.withTables<CheckpointTables>();
  }

  async exist(threadId: string): Promise<boolean> {
    const row = await this.#database.read
      .selectFrom('checkpoints')
      .select('thread_id')
      .where('thread_id', '=', threadId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Runs inside the unit that admits a run which goes on from a checkpoint. */
  async has<Tables>(
    trx: WriteTransaction<Tables>,
    { threadId, namespace, id }: { threadId: string; namespace: string; id: string },
  ): Promise<boolean> {
    const row = await (trx as unknown as WriteTransaction<CheckpointTables>)
      .selectFrom('checkpoints')
      .select('checkpoint_id')
      .where('thread_id', '=', threadId)
      .where('checkpoint_ns', '=', namespace)
      .where('checkpoint_id', '=', id)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Returns threads with a saved state, ordered by id, beginning after the given one. */
  async threadIdsAfter(after: string, limit: number): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('checkpoints')
      .select('thread_id')
      .distinct()
      .where('thread_id', '>', after)
      .orderBy('thread_id')
      .limit(limit)
      .execute();
    return rows.map(({ thread_id }) => thread_id);
  }

  /** Runs inside the unit that deletes a thread. */
  async delete<Tables>(trx: WriteTransaction<Tables>, threadId: string): Promise<void> {
    // It is the same database, but an area sees only its own tables.
    const own = trx as unknown as WriteTransaction<CheckpointTables>;
    const { dialect } = this.#database;
    await lockName(own, { dialect, name: `checkpoints of ${threadId}`, isShared: false });
    for (const table of tables) await own.deleteFrom(table).where('thread_id', '=', threadId).execute();
  }
}
