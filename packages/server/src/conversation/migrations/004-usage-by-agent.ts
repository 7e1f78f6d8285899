import { type Kysely, sql } from 'kysely';
import { bytewiseText, dialectOf } from '../../platform/database/dialect.ts';

export const name = '004-usage-by-agent';

const summed = [
  'model',
  'first_of_run',
  'calls',
  'tokens',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
] as const;

/** Usage of deleted runs has no agent: the column is empty there. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('run_usage')
    .addColumn('agent', bytewiseText(dialectOf(db)), (column) => column.notNull().defaultTo(''))
    .execute();
  await sql`update run_usage set agent = (select assistant_id from runs where runs.run_id = run_usage.run_id)
    where run_id in (select run_id from runs)`.execute(db);
  // The indexes hold whole rows, so that sums over months are read from them alone.
  await db.schema.dropIndex('run_usage_owner').execute();
  await db.schema.dropIndex('run_usage_ended').execute();
  await db.schema
    .createIndex('run_usage_owner')
    .on('run_usage')
    .columns(['user_id', 'ended_ms', ...summed, 'agent'])
    .execute();
  await db.schema
    .createIndex('run_usage_ended')
    .on('run_usage')
    .columns(['ended_ms', 'user_id', ...summed, 'agent'])
    .execute();
}
