import { type Kysely, sql } from 'kysely';

export const name = '007-node-record';

/**
 * The nodes of an attempt, and an index that answers how long the latest tasks with the same graph took without reading
 * their rows.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('task_attempts').addColumn('nodes', 'text').execute();
  await db.schema
    .createIndex('tasks_durations')
    .on('tasks')
    .columns(['fingerprint', 'finishedAt', 'startedAt', 'instanceId'])
    .where(sql.ref('status'), '=', sql.lit('completed'))
    .execute();
}
