import type { Kysely } from 'kysely';

export const name = '002-grants';

/** Users let clients of others sign in for them. The token of a grant has the id of the grant. */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('access_tokens').addColumn('client', 'text').execute();
  await db.schema.alterTable('access_tokens').addColumn('resource', 'text').execute();
  await db.schema
    .createTable('oauth_clients')
    .addColumn('id', 'varchar(64)', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('redirect_uris', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('oauth_grants')
    .addColumn('id', 'varchar(36)', (column) => column.primaryKey())
    .addColumn('user_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('client_name', 'text', (column) => column.notNull())
    .addColumn('redirect_uri', 'text', (column) => column.notNull())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('scopes', 'text', (column) => column.notNull())
    .addColumn('code_digest', 'varchar(64)', (column) => column.notNull().unique())
    .addColumn('code_challenge', 'varchar(43)', (column) => column.notNull())
    .addColumn('family_digest', 'varchar(64)', (column) => column.unique())
    .addColumn('refresh_digest', 'varchar(64)')
    .addColumn('expires_at', 'varchar(24)', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('oauth_grants_user').on('oauth_grants').column('user_id').execute();
  await db.schema.createIndex('oauth_grants_expires').on('oauth_grants').column('expires_at').execute();
}
