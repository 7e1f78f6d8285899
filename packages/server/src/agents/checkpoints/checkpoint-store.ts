import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { type Dialect, hasJsonEntry, isOneOf, lockName } from '../../platform/database/dialect.ts';
import { Prepared } from '../../platform/database/prepared.ts';
import { PreparedRows } from '../../platform/database/prepared-rows.ts';
import type { CheckpointRows } from './checkpoint-batch.ts';
import type { CheckpointKey } from './configurable.ts';
import { type Manifest, manifestIn } from './manifest.ts';
import { newPlace, placeInOrder } from './place-store.ts';
import { placeOf } from './places.ts';
import type { ArrivingCheckpoint, CheckpointRow, CheckpointTables, WriteRow } from './tables.ts';
import { bytesOf, type StoredValue } from './values.ts';

export interface CheckpointFilter {
  threadId?: string | undefined;
  namespace?: string | undefined;
  id?: string | undefined;
  /** A place; exclusive. */
  before?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

type Reader = Kysely<CheckpointTables> | Transaction<CheckpointTables>;
type Writer = Transaction<CheckpointTables>;

export class CheckpointStore {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Adding to a thread needs the shared lock; removing values that nothing refers to needs the exclusive one. */
  async lock(trx: Writer, threadId: string, mode: 'shared' | 'alone'): Promise<void> {
    const name = `checkpoints of ${threadId}`;
    await lockName(trx, { dialect: this.#dialect, name, isShared: mode === 'shared' });
  }

  /** Returns the named checkpoint, or the one with which the thread goes on when no id is given. */
  async row(
    read: Reader,
    { threadId, namespace, id }: Omit<CheckpointKey, 'id'> & { id?: string | undefined },
  ): Promise<CheckpointRow | undefined> {
    if (id !== undefined) return rowById.first(read, { threadId, namespace, id });
    return headRow.first(read, { threadId, namespace });
  }

  async manifest(db: Reader, key: CheckpointKey): Promise<Manifest> {
    const row = await named(db, key).select(['channels', 'checkpoint']).executeTakeFirst();
    return row ? manifestIn(row) : {};
  }

  async add(trx: Writer, { threadId, values, checkpoints, writes }: CheckpointRows): Promise<void> {
    const rows = values.map(({ hash, type, data }) => ({
      thread_id: threadId,
      hash,
      type,
      data: bytesOf(data),
    }));
    const ofTasks = writes.filter(({ idx }) => idx >= 0);
    const ofGraph = writes.filter(({ idx }) => idx < 0);
    await Promise.all([
      newValues.run(trx, rows),
      newCheckpoints.run(trx, checkpoints),
      newWrites.run(trx, ofTasks),
      replacingWrites.run(trx, ofGraph),
    ]);
  }

  /** Returns the place of a checkpoint that need not exist: an id that was never stored stands where it would. */
  async place(read: Reader, key: CheckpointKey): Promise<string> {
    const row = await named(read, key).select(['place', 'checkpoint_id']).executeTakeFirst();
    return row ? placeOf(row) : key.id;
  }

  /**
   * Returns the newest first of those whose ids are their places, or of the others. `after` is the last row of the page before.
   * Each has an index in its order, and the two together do not.
   */
  async page(
    read: Reader,
    filter: CheckpointFilter,
    { after, limit, isPlaced }: { after: CheckpointRow | undefined; limit: number; isPlaced: boolean },
  ): Promise<CheckpointRow[]> {
    const { threadId, namespace, id, before, metadata = {} } = filter;
    const column = isPlaced ? 'place' : 'checkpoint_id';
    let query = read
      .selectFrom('checkpoints')
      .selectAll()
      .where('place', isPlaced ? 'is not' : 'is', null);
    if (threadId !== undefined) query = query.where('thread_id', '=', threadId);
    if (namespace !== undefined) query = query.where('checkpoint_ns', '=', namespace);
    if (id !== undefined) query = query.where('checkpoint_id', '=', id);
    if (before !== undefined) query = query.where(column, '<', before);
    for (const [key, value] of Object.entries(metadata)) {
      // The id of a run is in its column, and in older rows in the text as well.
      if (key === 'run_id' && typeof value === 'string') query = query.where('run_id', '=', value);
      else query = query.where(hasJsonEntry(this.#dialect, { column: 'metadata', key, value }));
    }
    if (after) {
      const { thread_id, checkpoint_ns } = after;
      query = query.where(
        sql<boolean>`(${sql.ref(column)}, thread_id, checkpoint_ns) < (${placeOf(after)}, ${thread_id}, ${checkpoint_ns})`,
      );
    }
    return query
      .orderBy(column, 'desc')
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

function named(read: Reader, { threadId, namespace, id }: CheckpointKey) {
  return read
    .selectFrom('checkpoints')
    .where('thread_id', '=', threadId)
    .where('checkpoint_ns', '=', namespace)
    .where('checkpoint_id', '=', id);
}

/** The checkpoint with the highest place. The one with the highest id may have a place before it. */
const headRow = new Prepared(
  (db: Kysely<CheckpointTables>, { threadId, namespace }: Omit<CheckpointKey, 'id'>) => {
    const all = db
      .selectFrom('checkpoints')
      .selectAll()
      .where('thread_id', '=', threadId)
      .where('checkpoint_ns', '=', namespace);
    const highest = all.orderBy('checkpoint_id', 'desc').limit(1).as('highest');
    const placed = all.where('place', 'is not', null).orderBy('place', 'desc').limit(1).as('placed');
    const both = db.selectFrom(highest).selectAll().unionAll(db.selectFrom(placed).selectAll()).as('newest');
    return db.selectFrom(both).selectAll().orderBy(placeInOrder, 'desc').limit(1);
  },
);

const rowById = new Prepared((db: Kysely<CheckpointTables>, { threadId, namespace, id }: CheckpointKey) =>
  db
    .selectFrom('checkpoints')
    .selectAll()
    .where('thread_id', '=', threadId)
    .where('checkpoint_ns', '=', namespace)
    .where('checkpoint_id', '=', id),
);

const newValues = new PreparedRows(
  ['thread_id', 'hash', 'type', 'data'],
  (db: Kysely<CheckpointTables>, rows: CheckpointTables['checkpoint_values'][]) =>
    db
      .insertInto('checkpoint_values')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing()),
);

const newCheckpoints = new PreparedRows(
  [
    'thread_id',
    'checkpoint_ns',
    'checkpoint_id',
    'parent_checkpoint_id',
    'run_id',
    'checkpoint',
    'channels',
    'metadata',
    'number',
    'before',
  ],
  (db: Kysely<CheckpointTables>, rows: ArrivingCheckpoint[]) =>
    db
      .insertInto('checkpoints')
      .values(
        rows.map(({ number, before, ...row }) => ({ ...row, place: newPlace({ ...row, number, before }) })),
      )
      .onConflict((conflict) =>
        conflict.columns(['thread_id', 'checkpoint_ns', 'checkpoint_id']).doUpdateSet((eb) => ({
          parent_checkpoint_id: eb.ref('excluded.parent_checkpoint_id'),
          run_id: eb.ref('excluded.run_id'),
          checkpoint: eb.ref('excluded.checkpoint'),
          channels: eb.ref('excluded.channels'),
          metadata: eb.ref('excluded.metadata'),
        })),
      ),
);

const writeKey = ['thread_id', 'checkpoint_ns', 'checkpoint_id', 'task_id', 'idx'] as const;
const writeColumns = [...writeKey, 'channel', 'value', 'run_id'] as const;

const newWrites = new PreparedRows(writeColumns, (db: Kysely<CheckpointTables>, rows: WriteRow[]) =>
  db
    .insertInto('checkpoint_writes')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);

const isOthers = sql<boolean>`checkpoint_writes.run_id is distinct from excluded.run_id`;

/**
 * A task's own write is never changed. LangGraph's own writes, which have indexes below zero, are replaced. What another run had
 * written there is kept beside the new value, because a rollback of this run restores it.
 */
const replacingWrites = new PreparedRows(writeColumns, (db: Kysely<CheckpointTables>, rows: WriteRow[]) =>
  db
    .insertInto('checkpoint_writes')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns([...writeKey]).doUpdateSet((eb) => ({
        prior_value: sql`case when ${isOthers} then checkpoint_writes.value else checkpoint_writes.prior_value end`,
        prior_run_id: sql`case when ${isOthers} then checkpoint_writes.run_id else checkpoint_writes.prior_run_id end`,
        channel: eb.ref('excluded.channel'),
        value: eb.ref('excluded.value'),
        run_id: eb.ref('excluded.run_id'),
      })),
    ),
);
