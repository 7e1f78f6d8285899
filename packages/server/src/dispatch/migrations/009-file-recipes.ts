import { type Kysely, sql } from 'kysely';
import { dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '009-file-recipes';

/** How a file was made: what its task was given, on which worker it ran, and which saved workflow it came from. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('task_sources')
    .addColumn('taskId', 'varchar(36)', (column) => column.notNull())
    .addColumn('fileId', 'varchar(36)', (column) => column.notNull())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('sha256', 'varchar(64)', (column) => column.notNull())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_sources_pk', ['taskId', 'fileId'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await db.schema
    .createIndex('task_sources_content')
    .on('task_sources')
    .columns(['sha256', 'owner', 'taskId'])
    .execute();

  await db.schema.alterTable('tasks').addColumn('workflowId', 'varchar(36)').execute();
  await db.schema.alterTable('tasks').addColumn('workflowVersion', 'integer').execute();
  await db.schema.alterTable('task_attempts').addColumn('serverName', 'text').execute();
  await db.schema.alterTable('task_attempts').addColumn('workerVersion', 'text').execute();

  // The files of a task are read in the order of a list, without a look at the owner's other files.
  await db.schema.dropIndex('files_task').execute();
  await db.schema.createIndex('files_of_task').on('files').columns(['taskId', 'createdAt', 'id']).execute();
  // A file is looked for by its content among those of one owner; with the owner behind it the index serves both.
  await db.schema.dropIndex('files_sha256').execute();
  await db.schema.createIndex('files_content').on('files').columns(['sha256', 'owner']).execute();
  await db.schema.alterTable('files').addColumn('workflowId', 'varchar(36)').execute();
  await db.schema
    .createIndex('files_workflow')
    .on('files')
    .columns(['workflowId', 'createdAt', 'id'])
    .where(sql.ref('workflowId'), 'is not', null)
    .execute();
}
