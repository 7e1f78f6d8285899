import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Returns the version of the library or of the server that keeps the rows, as it writes it: `3.50.4`, `17.2 (Debian …)`. */
export async function databaseVersion({
  dialect,
  read,
}: Pick<Database<unknown>, 'dialect' | 'read'>): Promise<string> {
  const asked =
    dialect === 'sqlite'
      ? sql<{ version: string }>`select sqlite_version() as version`
      : sql<{ version: string }>`select current_setting('server_version') as version`;
  const { rows } = await asked.execute(read);
  return rows[0]?.version ?? 'unknown';
}
