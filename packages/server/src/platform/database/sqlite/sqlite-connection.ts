import type { QueryResult } from 'kysely';
import { checkParameters } from '../parameters.ts';
import { backup, DatabaseSync, type SqliteHandle, type SqliteStatement } from './sqlite-library.ts';

interface CachedStatement {
  statement: SqliteStatement;
  /** Empty for a statement that returns no rows. */
  columns: string[];
}

/** A lock wait blocks the event loop, so it is short. A caller that has to wait longer tries again later. */
const lockWaitMs = 5;
/**
 * Lists of different lengths make different statements, so their number has no natural bound. The statements that were
 * not used recently are dropped.
 */
const recentStatements = 250;
/** Maximum size of the log on disk after a burst. SQLite reuses this space instead of growing the log again. */
const keptLogBytes = 64 * 1024 * 1024;
/**
 * Number of pages in the log before they move into the database, which costs two more syncs. This is 32 MB; the default
 * is 4 MB.
 */
const pagesPerCheckpoint = 8_000;
/** The pages that every write touches stay in memory. The default cache of SQLite is 2 MB. */
const cacheKilobytes = 16 * 1024;

/** The number of pages that are copied at a time: 8 MB. */
const pagesPerCopyStep = 2_000;

const changesSchema = /^\s*(create|alter|drop)\b/i;

/** One SQLite connection with its statements. Everything here is synchronous. */
export class SqliteConnection {
  readonly #handle: SqliteHandle;
  readonly #reading = new Set<SqliteStatement>();
  #recent = new Map<string, CachedStatement>();
  #older = new Map<string, CachedStatement>();

  /** `:memory:` for a database that disappears when it is closed. */
  constructor(location: string, { readOnly = false } = {}) {
    this.#handle = new DatabaseSync(location, { timeout: lockWaitMs, readOnly });
    this.#handle.exec('pragma foreign_keys = on');
    this.#handle.exec('pragma trusted_schema = off');
  }

  get isInTransaction(): boolean {
    return this.#handle.isTransaction;
  }

  /**
   * For a file: allows readers and a writer at once, and syncs every commit before it is confirmed. Throws while
   * another process has the file open in a way that prevents the change.
   */
  useWriteAheadLog(): void {
    const [row] = this.#handle.prepare('pragma journal_mode = wal').all() as { journal_mode?: unknown }[];
    if (row?.journal_mode !== 'wal') {
      throw new Error(
        'The file system of the database cannot share memory between processes, which its log needs. Set database.sqlite_dir to a local disk.',
      );
    }
    this.#handle.exec('pragma synchronous = full');
    // Keeps in memory what a savepoint has changed. By default each commit creates, fills and removes a file for it.
    this.#handle.exec('pragma temp_store = memory');
    this.#handle.exec(`pragma cache_size = -${cacheKilobytes}`);
    this.#handle.exec(`pragma wal_autocheckpoint = ${pagesPerCheckpoint}`);
    this.#handle.exec(`pragma journal_size_limit = ${keptLogBytes}`);
  }

  run(sql: string, parameters: readonly unknown[] = []): QueryResult<unknown> {
    checkParameters(parameters);
    const { statement, columns } = this.#prepared(sql);
    if (columns.length > 0) return rowsOf(statement.all(...parameters), columns);
    const { changes, lastInsertRowid } = statement.run(...parameters);
    // A cached statement that selects all columns of a table would continue to return the old columns.
    if (changesSchema.test(sql)) this.#forgetStatements();
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  /** Returns the rows one after the other, as lists of values, so that a table of any size needs no memory. */
  *rows(sql: string): Generator<unknown[]> {
    const statement = this.#handle.prepare(sql);
    statement.setReturnArrays(true);
    // The library frees a statement that nothing refers to, even while its rows are read, and then the process crashes.
    this.#reading.add(statement);
    try {
      yield* statement.iterate();
    } finally {
      this.#reading.delete(statement);
    }
  }

  /**
   * Copies the database into a new file while others read and write. With an open transaction it copies what that sees, and it does
   * not begin again when others write.
   */
  async copyTo(file: string, onProgress: (done: number, total: number) => void): Promise<void> {
    await backup(this.#handle, file, {
      rate: pagesPerCopyStep,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  }

  close(): void {
    this.#forgetStatements();
    this.#handle.close();
  }

  #prepared(sql: string): CachedStatement {
    const recent = this.#recent.get(sql);
    if (recent) return recent;
    const cached = this.#older.get(sql) ?? this.#prepare(sql);
    this.#recent.set(sql, cached);
    if (this.#recent.size > recentStatements) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    return cached;
  }

  #prepare(sql: string): CachedStatement {
    const statement = this.#handle.prepare(sql);
    // Rows as objects have no prototype and cost twice as much as lists.
    statement.setReturnArrays(true);
    return { statement, columns: statement.columns().map(({ name }) => name) };
  }

  #forgetStatements(): void {
    this.#recent.clear();
    this.#older.clear();
  }
}

function rowsOf(lists: unknown[][], columns: string[]): QueryResult<unknown> {
  const rows = lists.map((values) => {
    const row: Record<string, unknown> = {};
    for (const [index, column] of columns.entries()) row[column] = values[index];
    return row;
  });
  return { rows, numAffectedRows: BigInt(rows.length) };
}
