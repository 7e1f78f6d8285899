import type { Kysely } from 'kysely';
import { bytewiseText, dialectOf } from '../../database/dialect.ts';

export const name = '001-audit';

export async function up(db: Kysely<never>): Promise<void> {
  const word = bytewiseText(dialectOf(db));
  await db.schema
    .createTable('audit_records')
    .addColumn('id', word, (column) => column.primaryKey())
    .addColumn('at', 'varchar(24)', (column) => column.notNull())
    .addColumn('actor', word, (column) => column.notNull())
    .addColumn('actorName', 'text', (column) => column.notNull())
    .addColumn('via', 'varchar(16)', (column) => column.notNull())
    .addColumn('action', word, (column) => column.notNull())
    .addColumn('target', word)
    .addColumn('details', 'text', (column) => column.notNull())
    .addColumn('requestId', 'text')
    .execute();
  for (const column of ['actor', 'action', 'target'] as const) {
    await db.schema
      .createIndex(`audit_records_${column}`)
      .on('audit_records')
      .columns([column, 'id'])
      .execute();
  }
}
