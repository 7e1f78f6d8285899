import { type Kysely, sql } from 'kysely';

export const name = '006-unread-threads';

/** Threads of before count as read: no one can say what their owners have seen. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('threads').addColumn('run_ended_at', 'text').execute();
  await db.schema
    .alterTable('threads')
    .addColumn('unread', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('threads_unread')
    .on('threads')
    .expression(sql`user_id, coalesce(run_ended_at, ''), thread_id`)
    .where(sql.ref('unread'), '=', sql.lit(1))
    .execute();
}
