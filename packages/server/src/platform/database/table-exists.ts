import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Returns whether the database has a table of this name. Kysely's own way to ask binds booleans, which are refused here. */
export async function tableExists<Tables>(
  { dialect, read }: Pick<Database<Tables>, 'dialect' | 'read'>,
  name: string,
): Promise<boolean> {
  const asked =
    dialect === 'sqlite'
      ? sql`select 1 from sqlite_schema where type = 'table' and name = ${name}`
      : sql`select 1 where to_regclass(${name}) is not null`;
  const { rows } = await asked.execute(read);
  return rows.length > 0;
}
