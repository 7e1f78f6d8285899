import { sql } from 'kysely';
import type { Database } from './database.ts';

/** The bytes that the database takes, with its indexes. */
export async function databaseSize(database: Database<unknown>): Promise<number> {
  const query =
    database.dialect === 'postgres'
      ? sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
      : sql<{
          bytes: number;
        }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`;
  const { rows } = await query.execute(database.read);
  return Number(rows[0]?.bytes ?? 0);
}
