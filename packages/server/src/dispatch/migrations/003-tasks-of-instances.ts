import { type Kysely, sql } from 'kysely';

export const name = '003-tasks-of-instances';

/** Tasks of one instance, of all users or of one, in each status: a list reads one range of one index. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createIndex('tasks_instance_status')
    .on('tasks')
    .columns(['instanceId', 'status', 'id'])
    .where(sql.ref('instanceId'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('tasks_owner_instance')
    .on('tasks')
    .columns(['owner', 'instanceId', 'status', 'id'])
    .where(sql.ref('instanceId'), 'is not', null)
    .execute();
  await db.schema.dropIndex('tasks_instance').execute();
}
