import type { Kysely } from 'kysely';

export const name = '011-thread-ttls';

/** Threads that go, or shrink to their latest state, when nothing has happened in them for some time. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('thread_ttls')
    .addColumn('thread_id', 'text', (column) => column.primaryKey())
    .addColumn('strategy', 'text', (column) => column.notNull())
    .addColumn('ttl_seconds', 'bigint', (column) => column.notNull())
    .addColumn('look_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('thread_ttls_look_at').on('thread_ttls').column('look_at').execute();
}
