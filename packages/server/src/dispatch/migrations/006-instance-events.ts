import type { Kysely } from 'kysely';

export const name = '006-instance-events';

/** The events of the fleet, and the data that a submission gives a worker besides the graph. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('instance_events')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('instanceId', 'text', (column) => column.notNull())
    .addColumn('kind', 'varchar(32)', (column) => column.notNull())
    .addColumn('at', 'varchar(24)', (column) => column.notNull())
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('taskId', 'varchar(36)')
    .addColumn('attempt', 'integer')
    .addColumn('owner', 'varchar(64)')
    .execute();
  await db.schema
    .createIndex('instance_events_instance')
    .on('instance_events')
    .columns(['instanceId', 'id'])
    .execute();
  await db.schema.alterTable('task_inputs').addColumn('extraData', 'text').execute();
  await db.schema.alterTable('task_inputs').addColumn('partialExecutionTargets', 'text').execute();
}
