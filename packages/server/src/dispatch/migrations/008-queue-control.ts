import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '008-queue-control';

/** Pauses of the queue, tasks that were moved to the front, and batches of tasks. */
export async function up(db: Kysely<never>): Promise<void> {
  const dialect = dialectOf(db);
  await inKeyOrder(dialect)(
    db.schema
      .createTable('queue_pauses')
      .addColumn('scope', 'varchar(8)', (column) => column.notNull())
      .addColumn('target', bytewiseText(dialect), (column) => column.notNull())
      .addColumn('role', 'varchar(16)', (column) => column.notNull())
      .addColumn('userId', 'varchar(64)', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('since', 'varchar(24)', (column) => column.notNull())
      .addPrimaryKeyConstraint('queue_pauses_pkey', ['scope', 'target', 'role']),
  ).execute();
  await db.schema
    .createTable('task_batches')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('reach', 'varchar(8)', (column) => column.notNull())
    .addColumn('action', 'varchar(16)', (column) => column.notNull())
    .addColumn('choice', 'text', (column) => column.notNull())
    .addColumn('idempotencyKey', 'varchar(255)')
    .addColumn('bodyHash', 'varchar(64)', (column) => column.notNull())
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('waitsFor', 'text')
    .addColumn('requestId', 'text')
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('finishedAt', 'varchar(24)')
    .execute();
  await db.schema
    .createIndex('task_batches_key')
    .unique()
    .on('task_batches')
    .columns(['owner', 'idempotencyKey'])
    .execute();
  await db.schema.createIndex('task_batches_finished').on('task_batches').column('finishedAt').execute();
  await inKeyOrder(dialect)(
    db.schema
      .createTable('task_batch_items')
      .addColumn('batchId', bytewiseText(dialect), (column) => column.notNull())
      .addColumn('taskId', bytewiseText(dialect), (column) => column.notNull())
      .addColumn('outcome', 'varchar(8)')
      .addColumn('newTaskId', 'varchar(36)')
      .addColumn('error', 'text')
      .addPrimaryKeyConstraint('task_batch_items_pkey', ['batchId', 'taskId']),
  ).execute();
  await db.schema.alterTable('tasks').addColumn('frontAt', 'varchar(24)').execute();
}
