import {
  type CreateTableBuilder,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  sql,
  type Transaction,
} from 'kysely';
import type { Database } from './database.ts';

/** The few things that the two databases spell differently, beside what the query builder knows. */
export type Dialect = Database<unknown>['dialect'];

/** For migrations and procedures, which are given nothing but the query builder. */
export function dialectOf<Tables>(db: Kysely<Tables>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? 'postgres' : 'sqlite';
}

/** Text that is compared byte by byte, as identifiers are; Postgres would follow the language of the server. */
export function bytewiseText(dialect: Dialect): 'text' | RawBuilder<unknown> {
  return dialect === 'postgres' ? sql`text collate "C"` : 'text';
}

/**
 * For a table that is read by its primary key, which is text: SQLite keeps the rows in the order of the key, in one tree and not
 * in two of which each write touches both. Postgres does as it always does.
 */
export function inKeyOrder(dialect: Dialect) {
  return <Table extends string>(table: CreateTableBuilder<Table>): CreateTableBuilder<Table> =>
    dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table;
}

/** True for a column whose value stands in the list. One statement for lists of any length. */
export function isOneOf(
  dialect: Dialect,
  { column, values }: { column: string; values: readonly string[] },
): RawBuilder<boolean> {
  const list = JSON.stringify(values);
  return dialect === 'postgres'
    ? sql<boolean>`${sql.ref(column)} in (select json_array_elements_text(${list}::json))`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${list}))`;
}

/** True for a column of JSON text that has this entry at its top. Key and value are parameters, whatever they hold. */
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
 * Waits until nobody else is in a unit about the same thing; those who only share do not wait for each other. SQLite has
 * one writer anyway.
 */
export async function lockName<Tables>(
  trx: Transaction<Tables>,
  { dialect, name, isShared }: { dialect: Dialect; name: string; isShared: boolean },
): Promise<void> {
  if (dialect === 'sqlite') return;
  const lock = isShared ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${lock}(hashtextextended(${name}, 0))`.execute(trx);
}
