import type { Kysely, Transaction } from 'kysely';
import { type Dialect, isOneOf } from '../../platform/database/dialect.ts';
import type { CheckpointKey } from './configurable.ts';
import { placesIn } from './manifest.ts';
import { byNamespace } from './namespaces.ts';
import { placeInOrder } from './place-store.ts';
import type { CheckpointTables } from './tables.ts';
import type { Place } from './values.ts';

/** A checkpoint, as far as a clean-up needs to know it. */
export interface CheckpointOutline {
  namespace: string;
  id: string;
  parentId: string | null;
  runId: string | null;
  /** JSON. */
  metadata: string;
}

/** One channel that a run has written for a task. */
export interface RunWrite {
  namespace: string;
  /** The checkpoint that the task started from. */
  checkpointId: string;
  taskId: string;
  channel: string;
}

type Reader = Kysely<CheckpointTables> | Transaction<CheckpointTables>;
type Writer = Transaction<CheckpointTables>;

const tables = ['checkpoints', 'checkpoint_writes', 'checkpoint_values'] as const;

/** Every column but the thread. */
const checkpointColumns = [
  'checkpoint_ns',
  'checkpoint_id',
  'parent_checkpoint_id',
  'run_id',
  'checkpoint',
  'channels',
  'metadata',
  'place',
] as const;
const writeColumns = [
  'checkpoint_ns',
  'checkpoint_id',
  'task_id',
  'idx',
  'channel',
  'value',
  'run_id',
  'prior_value',
  'prior_run_id',
] as const;
const valueColumns = ['hash', 'type', 'data'] as const;

/** Works on whole threads and on groups of their checkpoints. Callers hold the thread's lock. */
export class ThreadStore {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  async delete(trx: Writer, threadId: string): Promise<void> {
    for (const table of tables) await trx.deleteFrom(table).where('thread_id', '=', threadId).execute();
  }

  /** Returns the newest first in each namespace. */
  async outlines(trx: Writer, threadId: string): Promise<CheckpointOutline[]> {
    return outlinesIn(trx, threadId).execute();
  }

  /** Removes the checkpoints and what was written to them. Their values stay until `removeUnusedValues`. */
  async remove(trx: Writer, threadId: string, checkpoints: Omit<CheckpointKey, 'threadId'>[]): Promise<void> {
    for (const [namespace, keys] of byNamespace(checkpoints)) {
      const values = keys.map(({ id }) => id);
      for (const table of ['checkpoints', 'checkpoint_writes'] as const) {
        await trx
          .deleteFrom(table)
          .where('thread_id', '=', threadId)
          .where('checkpoint_ns', '=', namespace)
          .where(isOneOf(this.#dialect, { column: 'checkpoint_id', values }))
          .execute();
      }
    }
  }

  /** Undoes the writes that a run made to checkpoints of other runs, for example when it continued from an interrupt. */
  async takeBackWritesOf(trx: Writer, threadId: string, runId: string): Promise<void> {
    await trx
      .updateTable('checkpoint_writes')
      .set((eb) => ({
        value: eb.ref('prior_value').$notNull(),
        run_id: eb.ref('prior_run_id'),
        prior_value: null,
        prior_run_id: null,
      }))
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .where('prior_value', 'is not', null)
      .execute();
    await trx
      .deleteFrom('checkpoint_writes')
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .execute();
  }

  /** Returns the newest first in each namespace. */
  async checkpointsOfRun(read: Reader, threadId: string, runId: string): Promise<CheckpointOutline[]> {
    return outlinesIn(read, threadId).where('run_id', '=', runId).execute();
  }

  async writesOfRun(read: Reader, threadId: string, runId: string): Promise<RunWrite[]> {
    return read
      .selectFrom('checkpoint_writes')
      .select(['checkpoint_ns as namespace', 'checkpoint_id as checkpointId', 'task_id as taskId', 'channel'])
      .where('thread_id', '=', threadId)
      .where('run_id', '=', runId)
      .execute();
  }

  /** Returns which of these checkpoints exist. */
  async existing(read: Reader, threadId: string, ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await read
      .selectFrom('checkpoints')
      .select('checkpoint_id')
      .where('thread_id', '=', threadId)
      .where(isOneOf(this.#dialect, { column: 'checkpoint_id', values: ids }))
      .execute();
    return new Set(rows.map((row) => row.checkpoint_id));
  }

  async removeUnusedValues(trx: Writer, threadId: string): Promise<void> {
    const used = await this.#usedHashes(trx, threadId);
    const stored = await trx
      .selectFrom('checkpoint_values')
      .select('hash')
      .where('thread_id', '=', threadId)
      .execute();
    const values = stored.map(({ hash }) => hash).filter((hash) => !used.has(hash));
    if (values.length === 0) return;
    await trx
      .deleteFrom('checkpoint_values')
      .where('thread_id', '=', threadId)
      .where(isOneOf(this.#dialect, { column: 'hash', values }))
      .execute();
  }

  async copy(trx: Writer, { from, to }: { from: string; to: string }): Promise<void> {
    const existing = await trx
      .selectFrom('checkpoints')
      .select('thread_id')
      .where('thread_id', '=', to)
      .limit(1)
      .execute();
    if (existing.length > 0)
      throw new Error(`The thread ${to} has checkpoints already, so none can be copied there.`);
    await trx
      .insertInto('checkpoints')
      .columns(['thread_id', ...checkpointColumns])
      .expression((eb) =>
        eb
          .selectFrom('checkpoints')
          .select([eb.val(to).as('thread_id'), ...checkpointColumns])
          .where('thread_id', '=', from),
      )
      .execute();
    await trx
      .insertInto('checkpoint_writes')
      .columns(['thread_id', ...writeColumns])
      .expression((eb) =>
        eb
          .selectFrom('checkpoint_writes')
          .select([eb.val(to).as('thread_id'), ...writeColumns])
          .where('thread_id', '=', from),
      )
      .execute();
    await trx
      .insertInto('checkpoint_values')
      .columns(['thread_id', ...valueColumns])
      .expression((eb) =>
        eb
          .selectFrom('checkpoint_values')
          .select([eb.val(to).as('thread_id'), ...valueColumns])
          .where('thread_id', '=', from),
      )
      .execute();
  }

  async #usedHashes(trx: Writer, threadId: string): Promise<Set<string>> {
    const checkpoints = await trx
      .selectFrom('checkpoints')
      .select('channels')
      .where('thread_id', '=', threadId)
      .execute();
    const writes = await trx
      .selectFrom('checkpoint_writes')
      .select(['value', 'prior_value'])
      .where('thread_id', '=', threadId)
      .execute();
    const used = new Set<string>();
    for (const { channels } of checkpoints) {
      for (const hash of Object.values(placesIn(channels)).flat()) used.add(hash);
    }
    for (const { value, prior_value } of writes) {
      for (const place of [value, prior_value ?? '[]']) {
        for (const hash of [JSON.parse(place) as Place].flat()) used.add(hash);
      }
    }
    return used;
  }
}

function outlinesIn(db: Reader, threadId: string) {
  return db
    .selectFrom('checkpoints')
    .select([
      'checkpoint_ns as namespace',
      'checkpoint_id as id',
      'parent_checkpoint_id as parentId',
      'run_id as runId',
      'metadata',
    ])
    .where('thread_id', '=', threadId)
    .orderBy('checkpoint_ns')
    .orderBy(placeInOrder, 'desc');
}
