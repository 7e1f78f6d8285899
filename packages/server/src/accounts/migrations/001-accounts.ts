import type { Kysely } from 'kysely';

export const name = '001-accounts';

export async function up(db: Kysely<never>): Promise<void> {
  await createUsers(db);
  await createRevokedSessions(db);
  await createAccessTokens(db);
}

async function createUsers(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('email', 'varchar(320)', (column) => column.notNull().unique())
    .addColumn('password_hash', 'varchar(128)')
    .addColumn('system_role', 'varchar(16)', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('oauth_provider', 'varchar(32)')
    .addColumn('oauth_id', 'varchar(128)')
    .addColumn('needs_setup', 'integer', (column) => column.notNull())
    .addColumn('token_version', 'integer', (column) => column.notNull())
    .addColumn('disabled', 'integer', (column) => column.notNull())
    .addColumn('bootstrap', 'integer', (column) => column.unique())
    .execute();
  await db.schema.createIndex('users_created').on('users').columns(['created_at', 'id']).execute();
  await db.schema
    .createIndex('users_oauth')
    .unique()
    .on('users')
    .columns(['oauth_provider', 'oauth_id'])
    .where('oauth_provider', 'is not', null)
    .where('oauth_id', 'is not', null)
    .execute();
}

async function createRevokedSessions(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('revoked_sessions')
    .addColumn('session_id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('expires_at', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('revoked_sessions_expires')
    .on('revoked_sessions')
    .column('expires_at')
    .execute();
}

async function createAccessTokens(db: Kysely<never>): Promise<void> {
  await db.schema
    .createTable('access_tokens')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('user_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('digest', 'varchar(64)', (column) => column.notNull().unique())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('created_at', 'varchar(24)', (column) => column.notNull())
    .addColumn('expires_at', 'varchar(24)')
    .addColumn('last_used_at', 'varchar(24)')
    .execute();
  await db.schema
    .createIndex('access_tokens_user')
    .on('access_tokens')
    .columns(['user_id', 'created_at'])
    .execute();
}
