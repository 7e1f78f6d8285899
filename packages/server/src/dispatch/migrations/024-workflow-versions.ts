import { type Kysely, sql } from 'kysely';

export const name = '024-workflow-versions';

/** Notes of versions, a chosen cover, and an index that answers how often a workflow ran without reading the rows of its tasks. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('saved_workflow_versions')
    .addColumn('notes', 'text', (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.alterTable('saved_workflows').addColumn('coverFileId', 'varchar(36)').execute();
  await db.schema
    .createIndex('saved_workflows_cover')
    .on('saved_workflows')
    .column('coverFileId')
    .where(sql.ref('coverFileId'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('tasks_of_workflow')
    .on('tasks')
    .columns(['workflowId', 'finishedAt', 'startedAt'])
    .where(sql.ref('workflowId'), 'is not', null)
    .where(sql.ref('status'), '=', sql.lit('completed'))
    .execute();
}
