import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf } from '../../platform/database/dialect.ts';

export const name = '030-mcp-tasks';

/** The tasks on MCP servers that calls of tools wait for. A call that has ended has no row. */
export async function up(db: Kysely<never>): Promise<void> {
  const text = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('mcp_tasks')
    .addColumn('call_key', text, (column) => column.primaryKey())
    .addColumn('thread_id', text, (column) => column.notNull())
    .addColumn('run_id', text, (column) => column.notNull())
    .addColumn('server', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text', (column) => column.notNull())
    .addColumn('answers', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('mcp_tasks_of_run').on('mcp_tasks').column('run_id').execute();
  await db.schema.createIndex('mcp_tasks_of_thread').on('mcp_tasks').column('thread_id').execute();
}
