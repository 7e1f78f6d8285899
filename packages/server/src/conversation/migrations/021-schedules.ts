import { type Kysely, sql } from 'kysely';
import { bytewiseText, dialectOf } from '../../platform/database/dialect.ts';

export const name = '021-schedules';

/** Runs that begin by themselves, and what became of each moment of theirs. */
export async function up(db: Kysely<never>): Promise<void> {
  await createSchedules(db);
  await createScheduleRuns(db);
}

async function createSchedules(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('schedules')
    .addColumn('schedule_id', id, (column) => column.primaryKey())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('thread_id', id)
    .addColumn('assistant_id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('prompt', 'text', (column) => column.notNull())
    .addColumn('request', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('cron', 'text')
    .addColumn('run_at', 'text')
    .addColumn('timezone', 'text', (column) => column.notNull())
    .addColumn('end_time', 'text')
    .addColumn('on_run_completed', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('next_run_at', 'text')
    .addColumn('last_run_at', 'text')
    .addColumn('last_run_id', 'text')
    .addColumn('last_thread_id', 'text')
    .addColumn('last_error', 'text')
    .addColumn('run_count', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('schedules_owner').on('schedules').columns(['user_id', 'created_at']).execute();
  await db.schema.createIndex('schedules_thread').on('schedules').column('thread_id').execute();
}

async function createScheduleRuns(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('schedule_runs')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('schedule_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('thread_id', id)
    .addColumn('run_id', id)
    .addColumn('scheduled_for', 'text', (column) => column.notNull())
    .addColumn('trigger', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('started_at', 'text')
    .addColumn('finished_at', 'text')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('schedule_runs_history')
    .on('schedule_runs')
    .columns(['schedule_id', 'id'])
    .execute();
  await db.schema.createIndex('schedule_runs_owner').on('schedule_runs').column('user_id').execute();
  await db.schema.createIndex('schedule_runs_run').on('schedule_runs').column('run_id').execute();
  // No two runs of one schedule are under way at the same time, whatever replica begins them.
  await sql`create unique index schedule_runs_open on schedule_runs (schedule_id) where status in ('queued', 'running')`.execute(
    db,
  );
}
