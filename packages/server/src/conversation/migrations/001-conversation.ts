import { type Kysely, sql } from 'kysely';
import { bytewiseText, dialectOf, inKeyOrder } from '../../platform/database/dialect.ts';

export const name = '001-conversation';

export async function up(db: Kysely<never>): Promise<void> {
  await createThreadTables(db);
  await createRunTables(db);
  await createEventTables(db);
  await createAssistantTables(db);
  await createStoreTable(db);
  await createMemoryTables(db);
  await createChannelTables(db);
}

async function createThreadTables(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('threads')
    .addColumn('thread_id', id, (column) => column.primaryKey())
    .addColumn('user_id', id)
    .addColumn('assistant_id', 'text')
    .addColumn('display_name', 'text')
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', id, (column) => column.notNull())
    .addColumn('updated_at', id, (column) => column.notNull())
    .addColumn('state_updated_at', id, (column) => column.notNull())
    .execute();
  for (const order of ['updated_at', 'created_at', 'state_updated_at'] as const) {
    await db.schema
      .createIndex(`threads_owner_${order}`)
      .on('threads')
      .columns(['user_id', order, 'thread_id'])
      .execute();
  }
  await db.schema
    .createIndex('threads_owner_thread_id')
    .on('threads')
    .columns(['user_id', 'thread_id'])
    .execute();
  await db.schema
    .createIndex('threads_owner_status')
    .on('threads')
    .columns(['user_id', 'status', 'updated_at', 'thread_id'])
    .execute();

  await db.schema
    .createTable('thread_metadata')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('user_id', id)
    .addColumn('key', id, (column) => column.notNull())
    .addColumn('value', id, (column) => column.notNull())
    .addColumn('updated_at', id, (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_metadata_pk', ['thread_id', 'key'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await db.schema
    .createIndex('thread_metadata_search')
    .on('thread_metadata')
    .columns(['user_id', 'key', 'value', 'updated_at', 'thread_id'])
    .execute();

  await db.schema
    .createTable('thread_snapshots')
    .addColumn('thread_id', id, (column) => column.primaryKey())
    .addColumn('user_id', id)
    .addColumn('checkpoint_id', id)
    .addColumn('values', 'text', (column) => column.notNull())
    .addColumn('next', 'text', (column) => column.notNull())
    .addColumn('interrupts', 'text', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await db.schema
    .createTable('thread_sequences')
    .addColumn('thread_id', id, (column) => column.primaryKey())
    .addColumn('event_seq', 'bigint', (column) => column.notNull())
    .addColumn('run_admission', 'bigint', (column) => column.notNull())
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await db.schema
    .createTable('deleted_threads')
    .addColumn('thread_id', id, (column) => column.primaryKey())
    .addColumn('user_id', id)
    .addColumn('deleted_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('files_left', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('deleted_threads_files_left')
    .on('deleted_threads')
    .columns(['thread_id'])
    .where(sql.ref('files_left'), '=', 1)
    .execute();
}

const tokenColumns = [
  'message_count',
  'llm_call_count',
  'total_input_tokens',
  'total_output_tokens',
  'total_tokens',
  'lead_agent_tokens',
  'subagent_tokens',
  'middleware_tokens',
  'unknown_tokens',
] as const;

async function createRunTables(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  let runs = db.schema
    .createTable('runs')
    .addColumn('run_id', id, (column) => column.primaryKey())
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('assistant_id', 'text', (column) => column.notNull())
    .addColumn('graph_id', 'text', (column) => column.notNull())
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('admission', 'bigint', (column) => column.notNull())
    .addColumn('multitask_strategy', 'varchar(16)', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('run_at', 'varchar(24)')
    .addColumn('cancel_action', 'varchar(16)')
    .addColumn('cancel_requested_at', 'varchar(24)')
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('worker_id', 'text')
    .addColumn('delete_thread', 'integer', (column) => column.notNull())
    .addColumn('webhook', 'text')
    .addColumn('checkpoint_id', id)
    .addColumn('follow_up_to_run_id', id)
    .addColumn('model_name', 'text')
    .addColumn('error', 'text')
    .addColumn('error_name', 'text')
    .addColumn('stop_reason', 'varchar(32)')
    .addColumn('first_human_message', 'text')
    .addColumn('last_ai_message', 'text')
    .addColumn('token_usage_by_model', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('started_at', 'varchar(24)')
    .addColumn('ended_at', 'varchar(24)');
  for (const counter of tokenColumns) {
    runs = runs.addColumn(counter, 'bigint', (column) => column.notNull().defaultTo(0));
  }
  await runs.execute();
  await db.schema
    .createIndex('runs_thread')
    .unique()
    .on('runs')
    .columns(['thread_id', 'admission'])
    .execute();
  await db.schema.createIndex('runs_owner').on('runs').columns(['user_id', 'run_id']).execute();
  // Only runs that wait or are at work: a handful of rows, however many have ended.
  await db.schema
    .createIndex('runs_open')
    .on('runs')
    .columns(['thread_id', 'admission'])
    .where(sql.ref('ended_at'), 'is', null)
    .execute();
  // Threads that are to be deleted with their run, until they are.
  await db.schema
    .createIndex('runs_with_thread')
    .on('runs')
    .columns(['thread_id', 'ended_at'])
    .where(sql.ref('delete_thread'), '=', sql.lit(1))
    .execute();

  await db.schema
    .createTable('run_inputs')
    .addColumn('run_id', id, (column) => column.primaryKey())
    .addColumn('kwargs', 'text', (column) => column.notNull())
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
}

async function createEventTables(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('run_events')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('run_id', id, (column) => column.notNull())
    .addColumn('user_id', id)
    .addColumn('event_type', 'varchar(32)', (column) => column.notNull())
    .addColumn('category', 'varchar(32)', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('origin', 'text')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_events_pk', ['thread_id', 'seq'])
    .$call(inKeyOrder(dialectOf(db)))
    .execute();
  await db.schema
    .createIndex('run_events_category')
    .on('run_events')
    .columns(['thread_id', 'category', 'seq'])
    .execute();
  await db.schema
    .createIndex('run_events_run')
    .on('run_events')
    .columns(['run_id', 'category', 'seq'])
    .execute();

  await db.schema
    .createTable('feedback')
    .addColumn('feedback_id', id, (column) => column.primaryKey())
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('run_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('message_id', 'text')
    .addColumn('rating', 'integer', (column) => column.notNull())
    .addColumn('comment', 'text')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('feedback_one_each')
    .unique()
    .on('feedback')
    .columns(['thread_id', 'run_id', 'user_id'])
    .execute();
}

async function createAssistantTables(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('assistants')
    .addColumn('assistant_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('graph_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('config', 'text', (column) => column.notNull())
    .addColumn('context', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    // Callers choose the ids; two users who choose the same one never notice.
    .addPrimaryKeyConstraint('assistants_pk', ['user_id', 'assistant_id'])
    .execute();
  await db.schema
    .createTable('assistant_versions')
    .addColumn('assistant_id', id, (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('graph_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('config', 'text', (column) => column.notNull())
    .addColumn('context', 'text', (column) => column.notNull())
    .addColumn('metadata', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('assistant_versions_pk', ['user_id', 'assistant_id', 'version'])
    .execute();
}

async function createStoreTable(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('store_items')
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('namespace', id, (column) => column.notNull())
    .addColumn('key', id, (column) => column.notNull())
    .addColumn('value', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('expires_at', 'varchar(24)')
    .addColumn('ttl_minutes', 'real')
    .addPrimaryKeyConstraint('store_items_pk', ['user_id', 'namespace', 'key'])
    .execute();
  await db.schema.createIndex('store_items_expiry').on('store_items').columns(['expires_at']).execute();
}

/** Both hold a handful of rows: those that wait to be worked on. */
async function createMemoryTables(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('memory_turns')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('agent', id, (column) => column.notNull())
    .addColumn('run_id', id, (column) => column.notNull())
    .addColumn('turn', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('memory_turns_pk', ['thread_id', 'user_id', 'agent', 'run_id'])
    .execute();
  await db.schema
    .createTable('memory_changes')
    .addColumn('thread_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('agent', id, (column) => column.notNull())
    .addColumn('change', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addPrimaryKeyConstraint('memory_changes_pk', ['thread_id', 'user_id', 'agent'])
    .execute();
}

async function createChannelTables(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('channel_threads')
    .addColumn('thread_id', id, (column) => column.primaryKey())
    .addColumn('channel', 'varchar(32)', (column) => column.notNull())
    .addColumn('chat_id', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('is_current', 'integer')
    .addColumn('artifacts_sent', 'text', (column) => column.notNull())
    .addColumn('questions', 'text')
    .addColumn('agent_setup', 'varchar(64)')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .execute();
  // A unique index allows any number of nulls.
  await db.schema
    .createIndex('channel_threads_current')
    .unique()
    .on('channel_threads')
    .columns(['channel', 'chat_id', 'user_id', 'is_current'])
    .execute();
  await db.schema
    .createTable('channel_messages')
    .addColumn('id', id, (column) => column.primaryKey())
    .addColumn('channel', 'varchar(32)', (column) => column.notNull())
    .addColumn('message_id', id, (column) => column.notNull())
    .addColumn('chat_id', id, (column) => column.notNull())
    .addColumn('admission', 'bigint', (column) => column.notNull())
    .addColumn('sender', id, (column) => column.notNull())
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('files', 'text', (column) => column.notNull())
    .addColumn('status', 'varchar(16)', (column) => column.notNull())
    .addColumn('thread_id', id)
    .addColumn('run_id', id)
    .addColumn('reply', 'text')
    .addColumn('sent', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('error', 'text')
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('updated_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('closed_at', 'varchar(24)')
    .execute();
  await db.schema
    .createIndex('channel_messages_once')
    .unique()
    .on('channel_messages')
    .columns(['channel', 'message_id'])
    .execute();
  await db.schema.createIndex('channel_messages_run').on('channel_messages').columns(['run_id']).execute();
  await db.schema
    .createIndex('channel_messages_thread')
    .on('channel_messages')
    .columns(['thread_id'])
    .execute();
  await db.schema
    .createIndex('channel_messages_chat')
    .on('channel_messages')
    .columns(['channel', 'chat_id', 'admission'])
    .execute();
  await db.schema
    .createIndex('channel_messages_open')
    .on('channel_messages')
    .columns(['channel', 'chat_id'])
    .where(sql.ref('closed_at'), 'is', null)
    .execute();
  await db.schema
    .createIndex('channel_messages_closed')
    .on('channel_messages')
    .columns(['closed_at'])
    .execute();
}
