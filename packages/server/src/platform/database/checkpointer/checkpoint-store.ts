import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { type Dialect, hasJsonEntry, isOneOf, lockName } from '../dialect.ts';
import type { CheckpointTables } from './tables.ts';
import type { StoredValue } from './values.ts';

export type CheckpointRow = Selectable<CheckpointTables['checkpoints']>;
export type WriteRow = Insertable<CheckpointTables['checkpoint_writes']>;

export interface CheckpointKey {
  threadId: string;
  namespace: string;
  id: string;
}

export interface CheckpointFilter {
  threadId?: string | undefined;
  namespace?: string | undefined;
  id?: string | undefined;
  /** Exclusive. */
  beforeId?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

type Reader = Kysely<CheckpointTables>;
type Writer = Transaction<CheckpointTables>;

/** Keeps a statement well below the number of parameters that a database takes. */
const rowsAtOnce = 100;

export class CheckpointStore {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Whoever adds to a thread shares it; whoever removes values that nothing refers to has it alone. */
  async lock(trx: Writer, threadId: string, mode: 'shared' | 'alone'): Promise<void> {
    const name = `checkpoints of ${threadId}`;
    await lockName(trx, { dialect: this.#dialect, name, isShared: mode === 'shared' });
  }

  async channelsOf(trx: Writer, { threadId, namespace, id }: CheckpointKey): Promise<string | undefined> {
    const row = await trx
      .selectFrom('checkpoints')
      .select('channels')
      .where('thread_id', '=', threadId)
      .where('checkpoint_ns', '=', namespace)
      .where('checkpoint_id', '=', id)
      .executeTakeFirst();
    return row?.channels;
  }

  async put(trx: Writer, row: CheckpointRow): Promise<void> {
    const { parent_checkpoint_id, run_id, checkpoint, channels, metadata } = row;
    await trx
      .insertInto('checkpoints')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['thread_id', 'checkpoint_ns', 'checkpoint_id'])
          .doUpdateSet({ parent_checkpoint_id, run_id, checkpoint, channels, metadata }),
      )
      .execute();
  }

  async putValues(trx: Writer, threadId: string, values: StoredValue[]): Promise<void> {
    const rows = values.map((value) => ({ thread_id: threadId, ...value }));
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await trx
        .insertInto('checkpoint_values')
        .values(rows.slice(from, from + rowsAtOnce))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }

  /** A task's write is never changed, except for those of LangGraph's own, which have indexes below zero. */
  async putWrites(trx: Writer, rows: WriteRow[]): Promise<void> {
    for (const row of rows) {
      const insert = trx.insertInto('checkpoint_writes').values(row);
      await insert
        .onConflict((conflict) => {
          const { channel, value, run_id } = row;
          const same = conflict.columns(['thread_id', 'checkpoint_ns', 'checkpoint_id', 'task_id', 'idx']);
          return row.idx < 0 ? same.doUpdateSet({ channel, value, run_id }) : same.doNothing();
        })
        .execute();
    }
  }

  /** The newest first. `after` is the last row of the page before. */
  async page(
    read: Reader,
    filter: CheckpointFilter,
    { after, limit }: { after: CheckpointRow | undefined; limit: number },
  ): Promise<CheckpointRow[]> {
    const { threadId, namespace, id, beforeId, metadata = {} } = filter;
    let query = read.selectFrom('checkpoints').selectAll();
    if (threadId !== undefined) query = query.where('thread_id', '=', threadId);
    if (namespace !== undefined) query = query.where('checkpoint_ns', '=', namespace);
    if (id !== undefined) query = query.where('checkpoint_id', '=', id);
    if (beforeId !== undefined) query = query.where('checkpoint_id', '<', beforeId);
    for (const [key, value] of Object.entries(metadata)) {
      query = query.where(hasJsonEntry(this.#dialect, { column: 'metadata', key, value }));
    }
    if (after) {
      const { checkpoint_id, thread_id, checkpoint_ns } = after;
      query = query.where(
        sql<boolean>`(checkpoint_id, thread_id, checkpoint_ns) < (${checkpoint_id}, ${thread_id}, ${checkpoint_ns})`,
      );
    }
    return query
      .orderBy('checkpoint_id', 'desc')
      .orderBy('thread_id', 'desc')
      .orderBy('checkpoint_ns', 'desc')
      .limit(limit)
      .execute();
  }

  async writesTo(
    read: Reader,
    threadId: string,
    checkpointIds: string[],
  ): Promise<Selectable<CheckpointTables['checkpoint_writes']>[]> {
    return read
      .selectFrom('checkpoint_writes')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where(isOneOf(this.#dialect, { column: 'checkpoint_id', values: checkpointIds }))
      .orderBy('task_id')
      .orderBy('idx')
      .execute();
  }

  async values(read: Reader, threadId: string, hashes: string[]): Promise<Map<string, StoredValue>> {
    const rows = await read
      .selectFrom('checkpoint_values')
      .select(['hash', 'type', 'data'])
      .where('thread_id', '=', threadId)
      .where(isOneOf(this.#dialect, { column: 'hash', values: hashes }))
      .execute();
    return new Map(rows.map((row) => [row.hash, row as StoredValue]));
  }
}
