import type { Kysely } from 'kysely';

export const name = '017-comfyui-door';

/** The names that clients of ComfyUI give their tasks, and the reports of workers about their nodes. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('task_prompts')
    .addColumn('taskId', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('promptId', 'text', (column) => column.notNull())
    .addColumn('clientId', 'text')
    .execute();
  await db.schema
    .createIndex('task_prompts_of_owner')
    .on('task_prompts')
    .columns(['owner', 'promptId'])
    .unique()
    .execute();
  await db.schema
    .createTable('instance_object_infos')
    .addColumn('instanceId', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('objectInfo', 'text', (column) => column.notNull())
    .execute();
}
