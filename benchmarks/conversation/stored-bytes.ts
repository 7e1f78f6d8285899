import { SqliteConnection } from '@switchyard/server/platform/database/sqlite/sqlite-connection';

/** What one table takes in the file, its indexes included. */
export interface TableBytes {
  table: string;
  /** Whole pages. */
  bytes: number;
  /** What the rows of the table hold by themselves. */
  rowBytes: number;
  /** What its indexes repeat of them. */
  indexBytes: number;
}

/** Moves the log into the file first, so that everything that was committed counts. */
export function storedBytes(databaseFile: string): TableBytes[] {
  const connection = new SqliteConnection(databaseFile);
  try {
    const [moved] = connection.run('pragma wal_checkpoint(truncate)').rows as { busy: number }[];
    if (moved?.busy !== 0)
      throw new Error('The log of the database is in use, so its file cannot be measured.');
    return connection.run(bytesOfTables).rows as TableBytes[];
  } finally {
    connection.close();
  }
}

/** `dbstat` has a row for each tree: a table, or one of its indexes. */
const bytesOfTables = `
  select s.tbl_name as "table", sum(t.pgsize) as bytes,
    sum(case when s.type = 'table' then t.payload else 0 end) as "rowBytes",
    sum(case when s.type = 'index' then t.payload else 0 end) as "indexBytes"
  from dbstat as t join sqlite_schema as s on s.name = t.name
  where t.aggregate = true group by s.tbl_name`;
