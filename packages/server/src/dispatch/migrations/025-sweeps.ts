import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '025-sweeps';

/** Grids of runs of a saved workflow. A task names the cell that it was made for. */
export async function up(db: Kysely<never>): Promise<void> {
  const dialect = dialectOf(db);
  await db.schema
    .createTable('sweeps')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('workflowId', 'varchar(64)', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('settings', 'text', (column) => column.notNull())
    .addColumn('axes', 'text', (column) => column.notNull())
    .addColumn('wildcards', 'text', (column) => column.notNull())
    .addColumn('wildcardSeed', 'integer')
    .addColumn('total', 'integer', (column) => column.notNull())
    .addColumn('byAdmin', 'integer', (column) => column.notNull())
    .addColumn('idempotencyKey', 'varchar(255)')
    .addColumn('bodyHash', 'varchar(64)', (column) => column.notNull())
    .addColumn('waitsFor', 'text')
    .addColumn('isOpen', 'integer', (column) => column.notNull())
    .addColumn('requestId', 'text')
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sweeps_owner').on('sweeps').columns(['owner', 'workflowId', 'id']).execute();
  await db.schema
    .createIndex('sweeps_key')
    .unique()
    .on('sweeps')
    .columns(['owner', 'idempotencyKey'])
    .execute();
  await inKeyOrder(dialect)(
    db.schema
      .createTable('sweep_cells')
      .addColumn('sweepId', bytewiseText(dialect), (column) => column.notNull())
      .addColumn('cell', 'integer', (column) => column.notNull())
      .addColumn('values', 'text', (column) => column.notNull())
      .addColumn('state', 'varchar(8)', (column) => column.notNull())
      .addColumn('taskId', 'varchar(36)')
      .addColumn('error', 'text')
      .addPrimaryKeyConstraint('sweep_cells_pkey', ['sweepId', 'cell']),
  ).execute();
  await db.schema.createIndex('sweep_cells_task').on('sweep_cells').column('taskId').execute();
  await db.schema.alterTable('tasks').addColumn('sweepId', 'varchar(36)').execute();
  await db.schema.alterTable('tasks').addColumn('sweepCell', 'integer').execute();
}
