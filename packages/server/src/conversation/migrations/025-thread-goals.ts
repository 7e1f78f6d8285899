import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf } from '../../platform/database/dialect.ts';

export const name = '025-thread-goals';

/** The goals towards which the agents of threads work by themselves. A goal that is reached or cleared has no row. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('thread_goals')
    .addColumn('thread_id', bytewiseText(dialectOf(db)), (column) => column.primaryKey())
    .addColumn('objective', 'text', (column) => column.notNull())
    .addColumn('continuation_count', 'integer', (column) => column.notNull())
    .addColumn('max_continuations', 'integer', (column) => column.notNull())
    .addColumn('no_progress_count', 'integer', (column) => column.notNull())
    .addColumn('last_evaluation', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
}
