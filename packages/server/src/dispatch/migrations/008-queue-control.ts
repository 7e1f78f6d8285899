import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '008-queue-control';

/** Pauses of the queue, and tasks that were moved to the front. */
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
  await db.schema.alterTable('tasks').addColumn('frontAt', 'varchar(24)').execute();
}
