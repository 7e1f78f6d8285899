import { type Kysely, sql } from 'kysely';
import { bytewiseText, dialectOf } from '../../platform/database/dialect.ts';

export const name = '018-titles-and-pins';

/** A list begins with the pinned threads, so its index has them in that order. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('threads')
    .addColumn('title_by_hand', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('threads')
    .addColumn('pinned', bytewiseText(dialectOf(db)), (column) => column.notNull().defaultTo('0'))
    .execute();
  await sql`update threads set pinned = '1' where exists (
    select 1 from thread_metadata as m
    where m.thread_id = threads.thread_id and m.key = 'deerflow_pinned' and m.value = 'true')`.execute(db);
  await db.schema
    .createIndex('threads_owner_pinned')
    .on('threads')
    .columns(['user_id', 'pinned', 'updated_at', 'thread_id'])
    .execute();
}
