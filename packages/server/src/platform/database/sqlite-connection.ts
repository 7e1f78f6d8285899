import type { QueryResult } from 'kysely';
import { checkParameters } from './parameters.ts';
import { DatabaseSync, type SqliteHandle, type SqliteStatement } from './sqlite-library.ts';

interface CachedStatement {
  statement: SqliteStatement;
  /** Empty for a statement that answers no rows. */
  columns: string[];
}

/** A lock wait blocks the event loop, so it is short; whoever needs to wait longer tries again later. */
const lockWaitMs = 5;
/**
 * Lists of different lengths make different statements, so their number has no bound of its own. Those that were not used
 * while so many others were are dropped.
 */
const recentStatements = 250;
/** What the log may keep on disk after a burst; SQLite reuses it rather than growing it again. */
const keptLogBytes = 64 * 1024 * 1024;
/** Pages in the log before they move into the database, which costs two more syncs: 32 MB, where 4 MB is usual. */
const pagesPerCheckpoint = 8_000;
/** The pages that every write touches stay in memory; by itself SQLite keeps 2 MB of them. */
const cacheKilobytes = 16 * 1024;

const changesSchema = /^\s*(create|alter|drop)\b/i;

/** One SQLite connection with its statements. Everything here is synchronous. */
export class SqliteConnection {
  readonly #handle: SqliteHandle;
  #recent = new Map<string, CachedStatement>();
  #older = new Map<string, CachedStatement>();

  /** `:memory:` for a database that is gone at close. */
  constructor(location: string) {
    this.#handle = new DatabaseSync(location, { timeout: lockWaitMs });
    this.#handle.exec('pragma foreign_keys = on');
    this.#handle.exec('pragma trusted_schema = off');
  }

  get isInTransaction(): boolean {
    return this.#handle.isTransaction;
  }

  /**
   * For a file: readers and a writer at once, and every commit synced before it is answered. Throws while another process
   * has the file open in a way that does not allow the change.
   */
  useWriteAheadLog(): void {
    const [row] = this.#handle.prepare('pragma journal_mode = wal').all() as { journal_mode?: unknown }[];
    if (row?.journal_mode !== 'wal') {
      throw new Error(
        'The file system of the database cannot share memory between processes, which its log needs. Set database.sqlite_dir to a local disk.',
      );
    }
    this.#handle.exec('pragma synchronous = full');
    // What a savepoint has changed so far; by itself it is a file that is made, filled and removed with each commit.
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
    // A cached statement that answers all columns of a table would go on answering those of before.
    if (changesSchema.test(sql)) this.#forgetStatements();
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
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
    // Rows as objects come without a prototype, at twice the cost of lists.
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
