import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { minuteMs } from '../../../lib/time-units.ts';

export interface PostgresOptions {
  url: string;
  poolSize: number;
  /** Called for connections that break while they are idle. The pool replaces them itself. */
  onIdleError?: (error: Error) => void;
  limits?: Partial<PostgresLimits>;
}

/** Together less than ten seconds, the longest that a caller should wait for a database that does not respond. */
export interface PostgresLimits {
  /** For a free or a new connection. */
  connectMs: number;
  /** The server's limit is shorter than ours, so that a statement does not continue after we stop waiting. */
  statementMs: number;
  answerMs: number;
  /**
   * For the next statement of a unit that has begun. The unit of a process that stands still holds its locks as long, so
   * this is shorter than a statement of another process may wait for them, and shorter than a lease lasts.
   */
  standstillMs: number;
}

const defaultLimits: PostgresLimits = {
  connectMs: 3_000,
  statementMs: 5_500,
  answerMs: 6_000,
  standstillMs: 3_000,
};

export function newPool({ url, poolSize, onIdleError, limits }: PostgresOptions): pg.Pool {
  const { connectMs, statementMs, answerMs, standstillMs } = { ...defaultLimits, ...limits };
  const pool = new pg.Pool({
    ...common,
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectMs,
    statement_timeout: statementMs,
    query_timeout: answerMs,
    // Frees the locks of a gateway that stands still, or was disconnected, in the middle of a unit.
    idle_in_transaction_session_timeout: standstillMs,
  });
  pool.on('error', (error) => onIdleError?.(error));
  // A connection that breaks while it is in use reports it twice: to its query, which is enough, and here.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Opens a connection for work that takes long and waits for its turn. */
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
  client.on('error', () => undefined); // Its query rejects as well.
  await client.connect();
  return client;
}

export async function queryOn(
  client: pg.ClientBase,
  { sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>,
  name?: string,
): Promise<QueryResult<unknown>> {
  const statement = { text: sql, values: [...parameters], ...(name !== undefined && { name }) };
  const { command, rowCount, rows } = await client.query(statement);
  return changing.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
}

const changing: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** The types int8 and numeric (a sum of int8 is numeric). Our counts stay below 2^53. */
const numbers: ReadonlySet<number> = new Set([20, 1700]);

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => (numbers.has(oid) ? Number : pg.types.getTypeParser(oid, format as 'text')),
};

const common = {
  application_name: 'switchyard',
  // Statements are sent without waiting for the answers to earlier ones. The server does them in their order.
  pipeline: true,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types,
} satisfies pg.ClientConfig;
