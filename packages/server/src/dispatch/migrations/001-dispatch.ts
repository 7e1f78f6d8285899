import { type Kysely, sql } from 'kysely';
import { dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '001-dispatch';

export async function up(db: Kysely<never>): Promise<void> {
  await createTaskTables(db);
  await createInstanceTables(db);
  await createFileTables(db);
  await createWebhookTables(db);
  await createWorkflowTables(db);
}

async function createTaskTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('tasks')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('name', 'text')
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('phase', 'varchar(16)', (column) => column.notNull())
    .addColumn('progress', 'integer', (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('pool', 'text')
    .addColumn('pinnedInstanceId', 'text')
    .addColumn('instanceId', 'text')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('claimToken', 'bigint')
    .addColumn('cancelRequested', 'integer', (column) => column.notNull())
    .addColumn('node', 'text')
    .addColumn('fingerprint', 'varchar(64)', (column) => column.notNull())
    .addColumn('retryPolicy', 'varchar(16)', (column) => column.notNull())
    .addColumn('maxAttempts', 'integer', (column) => column.notNull())
    .addColumn('timeoutSeconds', 'integer')
    .addColumn('error', 'text')
    .addColumn('result', 'text')
    .addColumn('warnings', 'text', (column) => column.notNull())
    .addColumn('webhook', 'text')
    .addColumn('requestId', 'varchar(36)')
    .addColumn('conversation', 'text')
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('startedAt', 'varchar(24)')
    .addColumn('finishedAt', 'varchar(24)')
    .execute();
  await db.schema.createIndex('tasks_status').on('tasks').columns(['status', 'id']).execute();
  await db.schema.createIndex('tasks_owner_status').on('tasks').columns(['owner', 'status', 'id']).execute();
  await db.schema.createIndex('tasks_owner').on('tasks').columns(['owner', 'id']).execute();
  await db.schema.createIndex('tasks_instance').on('tasks').columns(['instanceId', 'id']).execute();
  // The tasks on an instance now: a handful of rows, whatever it has executed before.
  await db.schema
    .createIndex('tasks_at_work')
    .on('tasks')
    .columns(['instanceId', 'id'])
    .where(sql.ref('instanceId'), 'is not', null)
    .where(sql.ref('finishedAt'), 'is', null)
    .execute();

  await db.schema
    .createTable('task_inputs')
    .addColumn('taskId', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('workflow', 'text', (column) => column.notNull())
    .addColumn('params', 'text', (column) => column.notNull())
    .addColumn('requirement', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('task_attempts')
    .addColumn('taskId', 'varchar(36)', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('instanceId', 'text', (column) => column.notNull())
    .addColumn('promptId', 'text', (column) => column.notNull())
    .addColumn('clientId', 'text', (column) => column.notNull())
    .addColumn('state', 'varchar(16)', (column) => column.notNull())
    .addColumn('outcome', 'varchar(32)')
    .addColumn('error', 'text')
    .addColumn('startedAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('acceptedAt', 'varchar(24)')
    .addColumn('endedAt', 'varchar(24)')
    .addPrimaryKeyConstraint('task_attempts_pk', ['taskId', 'attempt'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();

  await db.schema
    .createTable('task_files')
    .addColumn('taskId', 'varchar(36)', (column) => column.notNull())
    .addColumn('fileId', 'varchar(36)', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_files_pk', ['taskId', 'fileId'])
    .execute();
  await db.schema.createIndex('task_files_file').on('task_files').column('fileId').execute();

  await db.schema
    .createTable('task_counts')
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_counts_pk', ['owner', 'status'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();

  await db.schema
    .createTable('idempotency_keys')
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('key', 'varchar(255)', (column) => column.notNull())
    .addColumn('bodyHash', 'varchar(64)', (column) => column.notNull())
    .addColumn('taskId', 'varchar(36)', (column) => column.notNull())
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_pk', ['owner', 'key'])
    .execute();
  await db.schema
    .createIndex('idempotency_keys_created')
    .on('idempotency_keys')
    .column('createdAt')
    .execute();
}

async function createInstanceTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('instances')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('serverId', 'text', (column) => column.notNull())
    .addColumn('serverName', 'text', (column) => column.notNull())
    .addColumn('kind', 'varchar(16)', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('weight', 'real', (column) => column.notNull())
    .addColumn('tags', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('removed', 'integer', (column) => column.notNull())
    .addColumn('alive', 'integer', (column) => column.notNull())
    .addColumn('busy', 'integer', (column) => column.notNull())
    .addColumn('state', 'varchar(16)', (column) => column.notNull())
    .addColumn('lastHeartbeat', 'varchar(24)')
    .addColumn('since', 'varchar(24)', (column) => column.notNull())
    .addColumn('lastError', 'text')
    .addColumn('version', 'text')
    .addColumn('devices', 'text', (column) => column.notNull())
    .addColumn('queueRemaining', 'integer')
    .addColumn('currentTaskId', 'varchar(36)')
    .addColumn('clientId', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('instance_capabilities')
    .addColumn('instanceId', 'text', (column) => column.primaryKey())
    .addColumn('nodeClasses', 'text', (column) => column.notNull())
    .addColumn('models', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('settings')
    .addColumn('id', 'varchar(32)', (column) => column.primaryKey())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('updatedBy', 'varchar(64)')
    .execute();
}

async function createFileTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('files')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('filename', 'text', (column) => column.notNull())
    .addColumn('sha256', 'varchar(64)', (column) => column.notNull())
    .addColumn('size', 'bigint', (column) => column.notNull())
    .addColumn('contentType', 'text', (column) => column.notNull())
    .addColumn('source', 'varchar(8)', (column) => column.notNull())
    .addColumn('taskId', 'varchar(36)')
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('files_owner_created')
    .on('files')
    .columns(['owner', 'createdAt', 'id'])
    .execute();
  await db.schema.createIndex('files_sha256').on('files').column('sha256').execute();
  await db.schema.createIndex('files_task').on('files').column('taskId').execute();
  await db.schema.createIndex('files_created').on('files').column('createdAt').execute();

  await db.schema
    .createTable('file_usage')
    .addColumn('owner', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .execute();
}

async function createWebhookTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('webhooks_owner').on('webhooks').columns(['owner', 'id']).execute();

  await db.schema
    .createTable('webhook_deliveries')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('webhookId', 'varchar(36)')
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('taskId', 'varchar(36)', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('secret', 'text')
    .addColumn('event', 'varchar(32)', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('responseStatus', 'integer')
    .addColumn('lastError', 'text')
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('deliveredAt', 'varchar(24)')
    .execute();
  await db.schema
    .createIndex('webhook_deliveries_webhook')
    .on('webhook_deliveries')
    .columns(['webhookId', 'id'])
    .execute();
}

async function createWorkflowTables(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('node_inputs')
    .addColumn('nodeClass', 'text', (column) => column.primaryKey())
    .addColumn('inputs', 'text', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('saved_workflows')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('owner', 'varchar(64)', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('exposed', 'integer', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addColumn('updatedAt', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('saved_workflows_owner_name')
    .unique()
    .on('saved_workflows')
    .columns(['owner', 'name'])
    .execute();

  await db.schema
    .createTable('saved_workflow_versions')
    .addColumn('workflowId', 'varchar(36)', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('graph', 'text', (column) => column.notNull())
    .addColumn('parameters', 'text', (column) => column.notNull())
    .addColumn('createdAt', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('saved_workflow_versions_pk', ['workflowId', 'version'])
    .execute();

  await db.schema
    .createTable('saved_workflow_marks')
    .addColumn('owner', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('mark', 'integer', (column) => column.notNull())
    .execute();
}
