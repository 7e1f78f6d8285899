import { SqliteConnection } from '../sqlite/sqlite-connection.ts';
import type { TableSource, TableTarget, TransferredRow, TransferredTable } from './copy-tables.ts';

const rowsAtOnce = 500;
const bytesAtOnce = 1024 * 1024;

/** Reads a database file as it is at this moment, beside a gateway or without one. `location` may be an address (`file:`). */
export function sqliteSource(location: string): TableSource {
  const connection = new SqliteConnection(location, { readOnly: true });
  connection.run('begin');
  return {
    tables: async () => tablesOf(connection),
    count: async (table) => {
      const { rows } = connection.run(`select count(*) as count from ${quoted(table)}`);
      return (rows[0] as { count: number }).count;
    },
    rows: ({ name, columns }) =>
      batches(connection.rows(`select ${columns.map(quoted)} from ${quoted(name)}`)),
    close: async () => {
      connection.run('rollback'); // Closing alone would keep the transaction until the last statement is garbage collected.
      connection.close();
    },
  };
}

/** Fills a file that no other process uses. It is synced by the caller, once. */
export function sqliteTarget(file: string): TableTarget {
  const connection = new SqliteConnection(file);
  // Only pages that were there before are kept in it, and the tables are empty.
  connection.run('pragma journal_mode = memory');
  connection.run('pragma synchronous = off');
  connection.run('pragma cache_size = -32768');
  connection.run('begin');
  return {
    tables: async () => tablesOf(connection),
    insert: async (table, rows) => {
      const statement = insertInto(table);
      for (const row of rows) connection.run(statement, row);
    },
    commit: async () => {
      connection.run('commit');
    },
    close: async () => {
      if (connection.isInTransaction) connection.run('rollback');
      connection.close();
    },
  };
}

function insertInto({ name, columns }: TransferredTable): string {
  return `insert into ${quoted(name)} (${columns.map(quoted)}) values (${columns.map(() => '?')})`;
}

function tablesOf(connection: SqliteConnection): Map<string, string[]> {
  const { rows } = connection.run(
    // Virtual tables and their shadows are indexes, which triggers fill.
    `select t.name as "table", c.name as "column" from pragma_table_list t, pragma_table_info(t.name) c
     where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite\\_%' escape '\\' order by t.name`,
  );
  const tables = new Map<string, string[]>();
  for (const { table, column } of rows as { table: string; column: string }[])
    tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

async function* batches(rows: Iterable<unknown[]>): AsyncGenerator<TransferredRow[]> {
  let batch: TransferredRow[] = [];
  let bytes = 0;
  for (const row of rows as Iterable<TransferredRow>) {
    batch.push(row);
    for (const value of row) bytes += typeof value === 'number' || value === null ? 8 : value.length;
    if (batch.length < rowsAtOnce && bytes < bytesAtOnce) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
