import { type Kysely, sql } from 'kysely';

export const name = '002-task-usage';

const summed = ['name', 'status', 'startedAt'] as const;

/**
 * Tasks that agents asked for, with all the columns that are summed up, so that sums over months are read from the
 * index alone.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('tasks_of_agents_owner')
    .on('tasks')
    .columns(['owner', 'finishedAt', ...summed])
    .where(sql.ref('conversation'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('tasks_of_agents_ended')
    .on('tasks')
    .columns(['finishedAt', ...summed])
    .where(sql.ref('conversation'), 'is not', null)
    .execute();
}
