import type { Selectable } from 'kysely';
import { type Owner, requireOwner } from '../../lib/owner.ts';
import type { Database, WriteTransaction } from '../../platform/database/database.ts';
import type { UnitPart } from '../../platform/database/unit-part.ts';
import type { DispatchTables, TaskBatchItemTable, TaskBatchTable } from '../tables.ts';

export type BatchRow = Selectable<TaskBatchTable>;
export type BatchItemRow = Selectable<TaskBatchItemTable>;
type Trx = WriteTransaction<DispatchTables>;

export interface BatchCounts {
  done: number;
  skipped: number;
  failed: number;
}

/** Thrown in the unit of a copy whose item has its outcome already, so that nothing of the copy is kept. */
export class ItemHasOutcome extends Error {}

/** Rows in one statement: each has five values, and a statement of SQLite takes 32,766. */
const rowsInStatement = 1_000;

/** Batches of tasks, and what became of each of their tasks. */
export class TaskBatchStore {
  readonly #database: Database<DispatchTables>;

  constructor(database: Database<DispatchTables>) {
    this.#database = database;
  }

  /** Returns the batch that has the same owner and key, if there is one; nothing is written then. */
  async insert(
    row: BatchRow,
    { taskIds, alongside }: { taskIds: readonly string[]; alongside: UnitPart },
  ): Promise<BatchRow | null> {
    return this.#database.write(async (trx) => {
      const inserted = await trx
        .insertInto('task_batches')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (inserted.numInsertedOrUpdatedRows !== 1n) {
        return trx
          .selectFrom('task_batches')
          .selectAll()
          .where('owner', '=', row.owner)
          .where('idempotencyKey', '=', row.idempotencyKey)
          .executeTakeFirstOrThrow();
      }
      const nothing = { outcome: null, newTaskId: null, error: null };
      for (let start = 0; start < taskIds.length; start += rowsInStatement) {
        const part = taskIds.slice(start, start + rowsInStatement);
        const items = part.map((taskId) => ({ batchId: row.id, taskId, ...nothing }));
        await trx.insertInto('task_batch_items').values(items).execute();
      }
      await alongside(trx as unknown as WriteTransaction<unknown>);
      return null;
    });
  }

  async byKey(owner: string, idempotencyKey: string): Promise<BatchRow | undefined> {
    return this.#database.read
      .selectFrom('task_batches')
      .selectAll()
      .where('owner', '=', owner)
      .where('idempotencyKey', '=', idempotencyKey)
      .executeTakeFirst();
  }

  async get(owner: Owner, batchId: string): Promise<BatchRow | undefined> {
    const checked = requireOwner(owner);
    const query = this.#database.read.selectFrom('task_batches').selectAll().where('id', '=', batchId);
    return ('user' in checked ? query.where('owner', '=', checked.user) : query).executeTakeFirst();
  }

  async unfinishedIds(): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('task_batches')
      .select('id')
      .where('finishedAt', 'is', null)
      .execute();
    return rows.map(({ id }) => id);
  }

  /** The batch and its counts, as one read sees them. */
  async withCounts(owner: Owner, batchId: string): Promise<(BatchRow & BatchCounts) | undefined> {
    const checked = requireOwner(owner);
    const query = this.#database.read
      .selectFrom('task_batches')
      .selectAll('task_batches')
      .select((select) => {
        const countOf = (outcome: 'done' | 'skipped' | 'failed') =>
          select
            .selectFrom('task_batch_items')
            .select((inner) => inner.fn.countAll<number>().as('count'))
            .where('batchId', '=', batchId)
            .where('outcome', '=', outcome)
            .as(outcome);
        return [countOf('done'), countOf('skipped'), countOf('failed')];
      })
      .where('task_batches.id', '=', batchId);
    const row = await ('user' in checked
      ? query.where('owner', '=', checked.user)
      : query
    ).executeTakeFirst();
    if (!row) return undefined;
    return { ...row, done: Number(row.done), skipped: Number(row.skipped), failed: Number(row.failed) };
  }

  /** Tasks without an outcome, the oldest first. */
  async openTaskIds(batchId: string, { after, limit }: { after: string; limit: number }): Promise<string[]> {
    const rows = await this.#database.read
      .selectFrom('task_batch_items')
      .select('taskId')
      .where('batchId', '=', batchId)
      .where('outcome', 'is', null)
      .where('taskId', '>', after)
      .orderBy('taskId')
      .limit(limit)
      .execute();
    return rows.map(({ taskId }) => taskId);
  }

  async items(
    batchId: string,
    page: { outcome: BatchItemRow['outcome'] | undefined; after: string; limit: number },
  ): Promise<BatchItemRow[]> {
    const { outcome, after, limit } = page;
    const query = this.#database.read
      .selectFrom('task_batch_items')
      .selectAll()
      .where('batchId', '=', batchId)
      .where('taskId', '>', after);
    return (outcome ? query.where('outcome', '=', outcome) : query).orderBy('taskId').limit(limit).execute();
  }

  /** Part of the unit that makes the copy. Throws when the item has its outcome already. */
  async noteCopy(trx: Trx, item: Pick<BatchItemRow, 'batchId' | 'taskId'>, newTaskId: string): Promise<void> {
    const noted = await note(trx, { ...item, outcome: 'done', newTaskId, error: null });
    if (!noted) throw new ItemHasOutcome();
  }

  async note(item: BatchItemRow): Promise<void> {
    await this.#database.write((trx) => note(trx, item));
  }

  async setWait(batchId: string, waitsFor: string | null): Promise<void> {
    await this.#database.write((trx) =>
      trx.updateTable('task_batches').set({ waitsFor }).where('id', '=', batchId).execute(),
    );
  }

  async finish(batchId: string, at: string): Promise<void> {
    await this.#database.write((trx) =>
      trx
        .updateTable('task_batches')
        .set({ finishedAt: at, waitsFor: null })
        .where('id', '=', batchId)
        .where('finishedAt', 'is', null)
        .execute(),
    );
  }

  async forgetFinishedBefore(at: string): Promise<void> {
    await this.#database.write(async (trx) => {
      const old = trx.selectFrom('task_batches').select('id').where('finishedAt', '<', at);
      await trx.deleteFrom('task_batch_items').where('batchId', 'in', old).execute();
      await trx.deleteFrom('task_batches').where('finishedAt', '<', at).execute();
    });
  }
}

/** Returns false when the item has its outcome already. */
async function note(trx: Trx, { batchId, taskId, ...columns }: BatchItemRow): Promise<boolean> {
  const noted = await trx
    .updateTable('task_batch_items')
    .set(columns)
    .where('batchId', '=', batchId)
    .where('taskId', '=', taskId)
    .where('outcome', 'is', null)
    .executeTakeFirst();
  return noted.numUpdatedRows === 1n;
}
