import { open, writeFile } from 'node:fs/promises';
import { isNoDatabase, mapSqliteError } from '../database-errors.ts';
import { retryWhileBusy } from './sqlite-busy.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/**
 * Copies a database file as it is at this moment, while a gateway reads and writes it. The copy is one file without a log, and on
 * the disk when this resolves.
 */
export async function copySqlite(
  { from, to }: { from: string; to: string },
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  await writeFile(to, '', { flag: 'wx', mode: 0o600 });
  try {
    const source = new SqliteConnection(from, { readOnly: true });
    try {
      source.run('begin');
      // From here on the transaction sees one moment. A gateway that is just stopping may hold the file for a while.
      await retryWhileBusy(() => source.run('select 1 from sqlite_schema limit 1'));
      await source.copyTo(to, onProgress);
    } finally {
      source.close();
    }
    const copy = new SqliteConnection(to);
    copy.run('pragma journal_mode = delete');
    copy.close();
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  } catch (error) {
    if (!isNoDatabase(error)) throw mapSqliteError(error);
    throw new Error(`${from} is not a database, or is damaged. Restore it from a backup.`, { cause: error });
  }
}
