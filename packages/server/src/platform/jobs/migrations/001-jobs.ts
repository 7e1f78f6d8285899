import { type Kysely, sql } from 'kysely';

export const name = '001-jobs';

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('jobs')
    .addColumn('id', 'varchar(100)', (column) => column.primaryKey())
    .addColumn('kind', 'varchar(64)', (column) => column.notNull())
    .addColumn('key', 'varchar(255)')
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('dueAtMs', 'bigint')
    .addColumn('runner', 'varchar(36)')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('intervalMs', 'bigint')
    .addColumn('lastError', 'text')
    .addColumn('diedAtMs', 'bigint')
    .execute();
  await db.schema.createIndex('jobs_due').on('jobs').columns(['kind', 'dueAtMs']).execute();
  await db.schema.createIndex('jobs_died').on('jobs').column('diedAtMs').execute();
  await db.schema
    .createIndex('jobs_waiting_key')
    .unique()
    .on('jobs')
    .columns(['kind', 'key'])
    .where(sql`runner`, 'is', null)
    .where(sql`"dueAtMs"`, 'is not', null)
    .execute();
}
