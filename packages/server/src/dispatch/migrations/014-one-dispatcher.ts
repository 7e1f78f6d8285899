import type { Kysely } from 'kysely';

export const name = '014-one-dispatcher';

/**
 * `token` fences the writes about an instance: each time that a replica takes charge of it, the token is another.
 * `giveBack` asks the replica in charge to interrupt what runs on it.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await db.schema
    .alterTable('instances')
    .addColumn('token', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('instances')
    .addColumn('giveBack', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
