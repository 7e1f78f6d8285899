import type pg from 'pg';
import { connectAlone, type PostgresOptions } from '../postgres/postgres-connections.ts';
import { startFault } from '../postgres/postgres-fault.ts';
import type { TableSource, TableTarget, TransferredRow, TransferredTable } from './copy-tables.ts';

/** Rows beyond this size are read apart from the others and a few at a time, so that memory stays bounded. */
const largeRowBytes = 64 * 1024;
const smallRowsAtOnce = 250;
const largeRowsAtOnce = 4;

type Columns = Map<string, { name: string; type: string }[]>;

/** Reads all tables in one snapshot, on a connection of its own, whatever others write meanwhile. */
export async function postgresSource(options: PostgresOptions): Promise<TableSource> {
  const client = await connected(options);
  // The snapshot is taken by the first statement.
  await client.query('begin isolation level repeatable read, read only');
  const columns = await columnsOf(client);
  return {
    tables: async () => namesOf(columns),
    count: async (table) => {
      const { rows } = await client.query(`select count(*) as count from ${quoted(table)}`);
      return rows[0].count;
    },
    rows: (table) => allRows(client, table, columns.get(table.name) ?? []),
    close: () => client.end(),
  };
}

/** Writes all tables in one transaction, which is gone when this process ends before the commit. */
export async function postgresTarget(options: PostgresOptions): Promise<TableTarget> {
  const client = await connected(options);
  await client.query('begin');
  const columns = await columnsOf(client);
  return {
    tables: async () => namesOf(columns),
    insert: async (table, rows) => {
      const types = new Map(columns.get(table.name)?.map(({ name, type }) => [name, type]));
      const lists = table.columns.map((name, index) => `$${index + 1}::${types.get(name) ?? 'text'}[]`);
      const text = `insert into ${quoted(table.name)} (${table.columns.map(quoted)}) select * from unnest(${lists})`;
      const values = table.columns.map((_name, index) => rows.map((row) => asSent(row[index] ?? null)));
      await client.query({ text, values });
    },
    commit: async () => {
      await client.query('commit');
      // Until the server has counted them by itself, it would plan as if the tables were empty.
      await client.query('analyze');
    },
    close: () => client.end(),
  };
}

async function connected(options: PostgresOptions): Promise<pg.Client> {
  try {
    return await connectAlone(options);
  } catch (error) {
    throw startFault(error, options.url);
  }
}

async function columnsOf(client: pg.Client): Promise<Columns> {
  const { rows } = await client.query(
    `select c.table_name as "table", c.column_name as name, c.udt_name as type
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = current_schema() and t.table_type = 'BASE TABLE' order by c.table_name`,
  );
  const columns: Columns = new Map();
  for (const { table, name, type } of rows)
    columns.set(table, [...(columns.get(table) ?? []), { name, type }]);
  return columns;
}

function namesOf(columns: Columns): Map<string, string[]> {
  return new Map([...columns].map(([table, list]) => [table, list.map(({ name }) => name)]));
}

async function* allRows(
  client: pg.Client,
  { name, columns }: TransferredTable,
  types: { name: string; type: string }[],
): AsyncGenerator<TransferredRow[]> {
  const long = types.filter(({ type }) => ['text', 'varchar', 'bytea'].includes(type));
  // The length is known without the content being read.
  const size = long.map((column) => `coalesce(octet_length(${quoted(column.name)}), 0)`).join(' + ') || '0';
  const all = `select ${columns.map(quoted)} from ${quoted(name)}`;
  yield* fetched(client, `${all} where ${size} <= ${largeRowBytes}`, smallRowsAtOnce);
  yield* fetched(client, `${all} where ${size} > ${largeRowBytes}`, largeRowsAtOnce);
}

async function* fetched(client: pg.Client, query: string, count: number): AsyncGenerator<TransferredRow[]> {
  await client.query(`declare transferred no scroll cursor for ${query}`);
  const fetch = { text: `fetch forward ${count} from transferred`, rowMode: 'array' } as const;
  for (;;) {
    const { rows } = await client.query(fetch);
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query('close transferred');
}

/** The driver writes a Buffer in a list as bytea. */
function asSent(value: TransferredRow[number]): unknown {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
