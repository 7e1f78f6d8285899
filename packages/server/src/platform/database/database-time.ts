import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';

/** An expression for the present moment in milliseconds since the epoch. */
export type DatabaseTime = () => RawBuilder<number>;

/**
 * The clock of the database, the only clock that all replicas share. It continues within a transaction, and a unit may
 * wait for a lock. That is why Postgres is asked for the current time and not for the start of the transaction.
 */
export function databaseTime({ dialect }: Pick<Database<unknown>, 'dialect'>): DatabaseTime {
  if (dialect === 'sqlite') return () => sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
  return () => sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
}

/** Returns the present moment by the clock of the database. */
export async function databaseNowMs(
  { dialect }: Pick<Database<unknown>, 'dialect'>,
  connection: QueryExecutorProvider,
): Promise<number> {
  const { rows } = await sql<{ nowMs: number }>`select ${databaseTime({ dialect })()} as "nowMs"`.execute(
    connection,
  );
  if (!rows[0]) throw new Error('The database did not say what time it is.');
  return Number(rows[0].nowMs);
}
