import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf } from '../../platform/database/dialect.ts';

export const name = '024-store-vectors';

/** The vectors of items, by which they are found by their meaning. An item has as many as it has indexed texts. */
export async function up(db: Kysely<never>): Promise<void> {
  const id = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('store_vectors')
    .addColumn('user_id', id, (column) => column.notNull())
    .addColumn('namespace', id, (column) => column.notNull())
    .addColumn('key', id, (column) => column.notNull())
    .addColumn('part', 'integer', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('vector', 'bytea', (column) => column.notNull())
    .addPrimaryKeyConstraint('store_vectors_pk', ['user_id', 'namespace', 'key', 'part'])
    .execute();
}
