import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '020-clients-of-comfyui';

/**
 * The texts that clients of ComfyUI store for their account, and the prompts that they have taken out of their history.
 */
export async function up(db: Kysely<never>): Promise<void> {
  const dialect = dialectOf(db);
  await db.schema
    .createTable('user_documents')
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('path', bytewiseText(dialect), (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('size', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'text', (column) => column.notNull())
    .addColumn('modifiedAt', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('user_documents_key', ['owner', 'path'])
    .$call(inKeyOrder(dialect))
    .execute();
  await db.schema.alterTable('task_prompts').addColumn('workflowId', 'text').execute();
  await db.schema
    .alterTable('task_prompts')
    .addColumn('hidden', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('prompt_histories')
    .addColumn('owner', 'text', (column) => column.primaryKey())
    .addColumn('clearedAt', 'text', (column) => column.notNull())
    .execute();
}
