import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../../platform/database/dialect.ts';

export const name = '001-checkpoints';

export async function up(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('checkpoints')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('checkpoint_ns', id, (column) => column.notNull())
    .addColumn('checkpoint_id', id, (column) => column.notNull())
    .addColumn('parent_checkpoint_id', id)
    .addColumn('run_id', id)
    .addColumn('checkpoint', 'text', (column) => column.notNull())
    .addColumn('channels', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('checkpoints_pk', ['thread_id', 'checkpoint_ns', 'checkpoint_id'])
    .execute();
  await db.schema
    .createIndex('checkpoints_run')
    .on('checkpoints')
    .columns(['thread_id', 'run_id'])
    .where('run_id', 'is not', null)
    .execute();
  await db.schema
    .createTable('checkpoint_writes')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('checkpoint_ns', id, (column) => column.notNull())
    .addColumn('checkpoint_id', id, (column) => column.notNull())
    .addColumn('task_id', id, (column) => column.notNull())
    .addColumn('idx', 'integer', (column) => column.notNull())
    .addColumn('channel', 'text', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('run_id', id)
    .addColumn('prior_value', 'text')
    .addColumn('prior_run_id', id)
    .addPrimaryKeyConstraint('checkpoint_writes_pk', [
      'thread_id',
      'checkpoint_ns',
      'checkpoint_id',
      'task_id',
      'idx',
    ])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await db.schema
    .createTable('checkpoint_values')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('hash', id, (column) => column.notNull())
    .addColumn('type', 'varchar(8)', (column) => column.notNull())
    .addColumn('data', 'bytea', (column) => column.notNull())
    .addPrimaryKeyConstraint('checkpoint_values_pk', ['thread_id', 'hash'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
}
