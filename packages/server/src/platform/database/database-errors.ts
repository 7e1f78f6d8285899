import { AppError } from '../../lib/app-error.ts';

/** Returns true when a row with such a key already exists; works for both databases. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlStateOf(error) === '23505' || sqliteUniqueViolations.has(sqliteCodeOf(error) ?? 0);
}

/** SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE, SQLITE_CONSTRAINT_ROWID */
const sqliteUniqueViolations: ReadonlySet<number> = new Set([1555, 2067, 2579]);

/**
 * Returns the error as the gateway reports it. Faults of the disk or the file get their code; other errors stay as they
 * are.
 */
export function mapSqliteError(error: unknown): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined) return error;
  switch (primaryCode(code)) {
    case sqlite.busy:
    case sqlite.locked:
      return busy(error);
    case sqlite.full:
      return new AppError('storage_full', { cause: error });
    case sqlite.inputOutput:
    case sqlite.cannotOpen:
      return unavailable(error);
    default:
      return error;
  }
}

export function isSqliteBusy(error: unknown): boolean {
  const code = primaryCode(sqliteCodeOf(error) ?? 0);
  return code === sqlite.busy || code === sqlite.locked;
}

/** The file is something else or its beginning is damaged, or there is a folder in its place. */
export function isNoDatabase(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return (
    code !== undefined &&
    (primaryCode(code) === sqlite.notADatabase || primaryCode(code) === sqlite.cannotOpen)
  );
}

/** Does what `mapSqliteError` does, for errors that the driver of Postgres throws while it connects or queries. */
export function mapPostgresError(error: unknown): unknown {
  if (error instanceof AppError || error instanceof TypeError) return error;
  const state = sqlStateOf(error);
  // An error that does not come from the server concerns the connection: refused, reset, timed out.
  if (state === undefined) return unavailable(error);
  if (state === postgres.diskFull) return new AppError('storage_full', { cause: error });
  if (postgres.conflicts.has(state)) return busy(error);
  return isConnectionLost(error) || postgres.unavailable.has(state) ? unavailable(error) : error;
}

/** Returns true when the connection cannot be used again, because its next answer may belong to an earlier query. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof TypeError) return false;
  const state = sqlStateOf(error);
  return state === undefined || state.startsWith(postgres.connectionClass) || postgres.closing.has(state);
}

/**
 * Returns true when a prepared statement cannot be used any more: a newer version has changed its table, or a pooler between us and
 * the server has handed out another connection. Nothing was done, and the same statement without a name works.
 */
export function isPreparedLost(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== undefined && postgres.preparedLost.has(state);
}

function busy(cause: unknown): AppError {
  return new AppError('database_busy', { cause, retryAfterSeconds: 1 });
}

function unavailable(cause: unknown): AppError {
  return new AppError('database_unavailable', { cause, retryAfterSeconds: 1 });
}

const sqlite = { busy: 5, locked: 6, inputOutput: 10, full: 13, cannotOpen: 14, notADatabase: 26 } as const;

const postgres = {
  connectionClass: '08',
  diskFull: '53100',
  /** serialization_failure, deadlock_detected, lock_not_available */
  conflicts: new Set(['40001', '40P01', '55P03']),
  /** too_many_connections, query_canceled, cannot_connect_now, io_error */
  unavailable: new Set(['53300', '57014', '57P03', '58030']),
  /** admin_shutdown, crash_shutdown, idle_in_transaction_session_timeout */
  closing: new Set(['57P01', '57P02', '25P03']),
  /** feature_not_supported ("cached plan must not change result type"), invalid_sql_statement_name, duplicate_prepared_statement */
  preparedLost: new Set(['0A000', '26000', '42P05']),
} as const;

/**
 * The extended result code; its low byte is the primary code. The package that brings SQLite along leaves it out where a statement
 * that returns rows fails in a step, so it is found again by SQLite's own text.
 */
function sqliteCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error) return typeof error.errcode === 'number' ? error.errcode : undefined;
  if (!('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return undefined;
  return sqliteTexts.find(([text]) => error.message.startsWith(text))?.[1];
}

const sqliteTexts: readonly (readonly [text: string, code: number])[] = [
  ['database is locked', sqlite.busy],
  ['database table is locked', sqlite.locked],
  ['disk I/O error', sqlite.inputOutput],
  ['database or disk is full', sqlite.full],
  ['unable to open database file', sqlite.cannotOpen],
  ['UNIQUE constraint failed', 2067],
];

function primaryCode(code: number): number {
  return code & 0xff;
}

/** Recognised by its shape, so that a gateway on SQLite does not have to load the driver of Postgres. */
function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
