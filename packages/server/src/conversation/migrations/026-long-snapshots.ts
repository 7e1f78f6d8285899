import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../../platform/database/dialect.ts';

export const name = '026-long-snapshots';

/**
 * In a table without row numbers, SQLite puts most of a row above a kilobyte on pages of its own. The snapshot of a short
 * conversation is a little longer than that, and took 4.7 kB for 1.1. Postgres has no such tables.
 */
export async function up(db: Kysely<never>): Promise<void> {
  if (dialectOf(db) === 'postgres') return;
  await db.schema
    .createTable('numbered_snapshots')
    .addColumn('thread_id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('user_id', 'text')
    .addColumn('checkpoint_id', 'text')
    .addColumn('values', 'text', (column) => column.notNull())
    .addColumn('next', 'text', (column) => column.notNull())
    .addColumn('interrupts', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .execute();
  await sql`insert into numbered_snapshots
    select thread_id, user_id, checkpoint_id, "values", next, interrupts, error, updated_at from thread_snapshots`.execute(
    db,
  );
  await db.schema.dropTable('thread_snapshots').execute();
  await db.schema.alterTable('numbered_snapshots').renameTo('thread_snapshots').execute();
}
