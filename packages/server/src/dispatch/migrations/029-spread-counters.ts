import { type Kysely, sql } from 'kysely';
import { dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '029-spread-counters';

/** A counter becomes several rows, whose sum counts: units that count for one owner do not wait for each other's commit. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('spread_counts')
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('spread_counts_pk', ['owner', 'status', 'part'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await sql`insert into spread_counts select owner, status, 0, count from task_counts`.execute(db);
  await db.schema.dropTable('task_counts').execute();
  await db.schema.alterTable('spread_counts').renameTo('task_counts').execute();

  await db.schema
    .createTable('spread_usage')
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('spread_usage_pk', ['owner', 'part'])
    .execute();
  await sql`insert into spread_usage select owner, 0, bytes, count from file_usage`.execute(db);
  await db.schema.dropTable('file_usage').execute();
  await db.schema.alterTable('spread_usage').renameTo('file_usage').execute();
}
