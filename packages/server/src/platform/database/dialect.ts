import {
  CompiledQuery,
  type CreateTableBuilder,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import type { Database } from './database.ts';
import { runCompiled } from './query-builder.ts';

/** The few things that the two databases write differently and that the query builder does not cover. */
export type Dialect = Database<unknown>['dialect'];

/** For migrations and parts of units, which receive only the query builder. */
export function dialectOf<Tables>(db: Kysely<Tables>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/**
 * The type of text that is compared byte by byte, as identifiers are. By default Postgres would follow the language of
 * the server.
 */
export function bytewiseText(dialect: Dialect): 'text' | RawBuilder<unknown> {
  return dialect === 'postgres' ? sql`text collate "C"` : 'text';
}

/**
 * For a table that is read by its primary key and whose key is text. SQLite then keeps the rows in the order of the key
 * in one tree, instead of two trees that each write touches. Postgres does not change.
 */
export function inKeyOrder(dialect: Dialect) {
  return <Table extends string>(table: CreateTableBuilder<Table>): CreateTableBuilder<Table> =>
    dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table;
}

/** One part for each connection of Postgres, as far as they differ here. */
const parts = 64;

/**
 * The part of a counter that a unit changes, when a counter is the sum of several rows. Two units of one moment have two
 * connections, so they seldom change the same row, which is locked until the commit. SQLite has one writer and one part.
 */
export function partOfCounter(dialect: Dialect): RawBuilder<number> {
  return dialect === 'postgres' ? sql<number>`pg_backend_pid() % ${sql.lit(parts)}` : sql<number>`0`;
}

/** True for a column whose value is in the list. It is one statement for lists of any length. */
export function isOneOf(
  dialect: Dialect,
  { column, values }: { column: string; values: readonly string[] },
): RawBuilder<boolean> {
  return isInList(dialect, { column, list: JSON.stringify(values) });
}

/** The same for a list in JSON. */
export function isInList(
  dialect: Dialect,
  { column, list }: { column: string; list: string },
): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? sql<boolean>`${sql.ref(column)} in (select json_array_elements_text(${list}::json))`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${list}))`;
}

/** Returns the objects of a list in JSON as the rows of a table with these columns. */
export function rowsIn<Columns extends Record<string, 'text' | 'bigint'>>(
  dialect: Dialect,
  { list, columns }: { list: string; columns: Columns },
): RawBuilder<{ [Name in keyof Columns]: Columns[Name] extends 'text' ? string : number }> {
  const names = Object.keys(columns);
  const typed = names.map((name) => sql`${sql.ref(name)} ${sql.raw(columns[name] ?? 'text')}`);
  const members = names.map((name) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`);
  return dialect === 'postgres'
    ? sql`(select * from json_to_recordset(${list}::json) as listed(${sql.join(typed)}))`
    : sql`(select ${sql.join(members)} from json_each(${list}))`;
}

/**
 * True for a column of JSON text that has this entry at its top level. Key and value are parameters, so they may hold
 * anything.
 */
export function hasJsonEntry(
  dialect: Dialect,
  { column, key, value }: { column: string; key: string; value: unknown },
): RawBuilder<boolean> {
  const text = JSON.stringify(value);
  return dialect === 'postgres'
    ? sql<boolean>`exists (select 1 from json_each(${sql.ref(column)}::json) as entry
        where entry.key = ${key} and entry.value::text = ${text})`
    : sql<boolean>`exists (select 1 from json_each(${sql.ref(column)}) as entry
        where entry.key = ${key} and (${sql.ref(column)} -> entry.fullkey) = ${text})`;
}

/**
 * True for a column of JSON text that has this at the path: the value, an item of a list, any object or any list. The keys of the
 * path are letters, digits, `_` and `-`, and the value is JSON text.
 */
export function hasJsonPart(
  dialect: Dialect,
  { column, path, holds, value }: { column: string; path: readonly string[]; holds: JsonPart; value: string },
): RawBuilder<boolean> {
  return dialect === 'postgres'
    ? partOnPostgres(sql`(${sql.ref(column)}::json #> ${`{${path.join(',')}}`}::text[])`, holds, value)
    : partOnSqlite(sql.ref(column), { path: `$${path.map((key) => `."${key}"`).join('')}`, holds, value });
}

type JsonPart = 'value' | 'item' | 'object' | 'list';

function partOnPostgres(at: RawBuilder<unknown>, holds: JsonPart, value: string): RawBuilder<boolean> {
  if (holds === 'value') return sql<boolean>`${at}::text = ${value}`;
  const type = holds === 'object' ? 'object' : 'array';
  if (holds !== 'item') return sql<boolean>`json_typeof(${at}) = ${type}`;
  return sql<boolean>`exists (select 1 from json_array_elements(
    case when json_typeof(${at}) = 'array' then ${at} else '[]'::json end) as entry where entry::text = ${value})`;
}

function partOnSqlite(
  column: RawBuilder<unknown>,
  { path, holds, value }: { path: string; holds: JsonPart; value: string },
): RawBuilder<boolean> {
  if (holds === 'value') return sql<boolean>`(${column} -> ${path}) = ${value}`;
  const type = holds === 'object' ? 'object' : 'array';
  if (holds !== 'item') return sql<boolean>`json_type(${column}, ${path}) = ${type}`;
  return sql<boolean>`exists (select 1 from json_each(${column}, ${path}) as entry
    where (${column} -> entry.fullkey) = ${value})`;
}

/**
 * Waits until no one else is in a unit about the same thing. Shared holders do not wait for each other. SQLite has only
 * one writer and needs no lock. What the unit asks for behind it at once is done under the lock.
 */
export async function lockName<Tables>(
  trx: Transaction<Tables>,
  { dialect, name, isShared }: { dialect: Dialect; name: string; isShared: boolean },
): Promise<void> {
  if (dialect === 'sqlite') return;
  const lock = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock';
  const statement = CompiledQuery.raw(`select ${lock}(hashtextextended($1, 0))`, [name]);
  await runCompiled(trx as unknown as Transaction<never>, statement);
}
