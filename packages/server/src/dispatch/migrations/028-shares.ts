import type { Kysely } from 'kysely';

export const name = '028-shares';

/** Owners let others read and run what they name. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('shares')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('kind', 'varchar(16)', (column) => column.notNull())
    .addColumn('subjectId', 'varchar(64)', (column) => column.notNull())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('granteeKind', 'varchar(16)', (column) => column.notNull())
    .addColumn('grantee', 'text', (column) => column.notNull())
    .addColumn('granteeId', 'varchar(64)')
    .addColumn('may', 'varchar(8)', (column) => column.notNull())
    .addColumn('fromVersion', 'integer')
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .execute();
  // One subject has one row for each grantee. The index also answers who may read a subject.
  await db.schema
    .createIndex('shares_subject')
    .unique()
    .on('shares')
    .columns(['kind', 'subjectId', 'granteeKind', 'grantee'])
    .execute();
  await db.schema.createIndex('shares_owner').on('shares').columns(['owner', 'id']).execute();
  await db.schema.createIndex('shares_grantee').on('shares').columns(['granteeId', 'id']).execute();
  await db.schema
    .createTable('shared_tools')
    .addColumn('userId', 'varchar(64)', (column) => column.notNull())
    .addColumn('workflowId', 'varchar(36)', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('shared_tools_key', ['userId', 'workflowId'])
    .execute();
  await db.schema.createIndex('shared_tools_workflow').on('shared_tools').column('workflowId').execute();
}
