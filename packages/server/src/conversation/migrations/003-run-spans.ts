import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '003-run-spans';

/** The key is the order of a timeline, and begins with what a deletion names. */
export async function up(db: Kysely<never>): Promise<void> {
  const dialect = dialectOf(db);
  const id = bytewiseText(dialect);
  await db.schema
    .createTable('run_spans')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('run_id', id, (column) => column.notNull())
    .addColumn('started_at', id, (column) => column.notNull())
    .addColumn('span_id', id, (column) => column.notNull())
    .addColumn('parent_id', id)
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('kind', 'varchar(16)', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('ended_at', 'varchar(24)')
    .addColumn('state', 'varchar(16)', (column) => column.notNull())
    .addColumn('tool_call_id', 'text')
    .addColumn('task_id', 'text')
    .addColumn('usage', 'text')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_spans_pk', ['thread_id', 'run_id', 'started_at', 'span_id'])
    .$call(inKeyOrder(dialect))
    .execute();
  await db.schema
    .createIndex('run_spans_revision')
    .on('run_spans')
    .columns(['thread_id', 'run_id', 'revision'])
    .execute();
}
