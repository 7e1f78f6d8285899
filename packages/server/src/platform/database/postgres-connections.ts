import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { checkParameters } from './parameters.ts';

export interface PostgresOptions {
  url: string;
  poolSize: number;
  /** Told about connections that break while nobody uses them; the pool replaces them by itself. */
  onIdleError?: (error: Error) => void;
  limits?: Partial<PostgresLimits>;
}

/** Together less than ten seconds: what a caller may wait for a database that answers no more. */
export interface PostgresLimits {
  /** For a connection to become free, or to be made. */
  connectMs: number;
  /** The server ends a statement first, so that it does not go on when we no longer listen. */
  statementMs: number;
  answerMs: number;
}

const defaultLimits: PostgresLimits = { connectMs: 3_000, statementMs: 5_500, answerMs: 6_000 };

const minuteMs = 60_000;

export function newPool({ url, poolSize, onIdleError, limits }: PostgresOptions): pg.Pool {
  const { connectMs, statementMs, answerMs } = { ...defaultLimits, ...limits };
  const pool = new pg.Pool({
    ...common,
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    // Frees the locks of a gateway that was cut off in the middle of a unit.
    idle_in_transaction_session_timeout: 2 * answerMs,
  });
  pool.on('error', (error) => onIdleError?.(error));
  // A connection that breaks while it is in use says so twice: to its query, which is enough, and here.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** A connection for work that takes long and waits for its turn. */
export async function connectAlone({ url, limits }: PostgresOptions): Promise<pg.Client> {
  const { connectMs } = { ...defaultLimits, ...limits };
  const client = new pg.Client({
    ...common,
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    lock_timeout: 2 * minuteMs,
    statement_timeout: 30 * minuteMs,
    query_timeout: 31 * minuteMs,
  });
  client.on('error', () => undefined); // its query rejects as well
  await client.connect();
  return client;
}

export async function queryOn(
  client: pg.ClientBase,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
): Promise<QueryResult<unknown>> {
  checkParameters(parameters);
  const { command, rowCount, rows } = await client.query(sql, [...parameters]);
  return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** int8, and numeric, which sums of int8 are. What we count stays below 2^53. */
const numbers: ReadonlySet<number> = new Set([20, 1700]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (numbers.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text')),
};

const common = {
  application_name: 'switchyard',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types,
} satisfies pg.ClientConfig;
