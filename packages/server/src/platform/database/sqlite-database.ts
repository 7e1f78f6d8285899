import {
  type CompiledQuery,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type Transaction,
} from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Database } from './database.ts';
import { mapSqliteError } from './database-errors.ts';
import { readBuilder, type Spelling, TransactionBuilders } from './query-builder.ts';
import { retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { UnitBody } from './unit.ts';
import { GroupWriter, type WriterLimits } from './writer.ts';

const spelling: Spelling = {
  adapter: new SqliteAdapter(),
  compiler: new SqliteQueryCompiler(),
  createIntrospector: (db) => new SqliteIntrospector(db),
};

const builders = new TransactionBuilders(spelling);

interface SqliteOptions {
  backend: 'memory' | 'sqlite';
  connection: SqliteConnection;
  limits?: Partial<WriterLimits>;
}

/**
 * One connection and one gate. Two connections in one process block the event loop for each other; one without a gate
 * shows readers what may yet be rolled back.
 */
export class SqliteDatabase implements Database<unknown> {
  readonly backend: 'memory' | 'sqlite';
  readonly dialect = 'sqlite';
  readonly read: Kysely<unknown>;
  readonly #connection: SqliteConnection;
  readonly #writer: GroupWriter;
  #closed: Promise<void> | undefined;

  constructor({ backend, connection, limits }: SqliteOptions) {
    this.backend = backend;
    this.#connection = connection;
    this.#writer = new GroupWriter({ connection, builders, ...(limits && { limits }) });
    this.read = readBuilder(spelling, (query) => this.#read(query));
  }

  write<Result>(unit: (trx: Transaction<unknown>) => Promise<Result>): Promise<Result> {
    return this.#writer.write(unit as UnitBody<unknown>) as Promise<Result>;
  }

  /** A group keeps every other process out already. */
  exclusive<Result>(unit: (trx: Transaction<unknown>) => Promise<Result>): Promise<Result> {
    return this.write(unit);
  }

  withTables<AreaTables>(): Database<AreaTables> {
    return this as unknown as Database<AreaTables>;
  }

  async ping(): Promise<void> {
    try {
      this.#connection.run('select 1 from sqlite_schema limit 1');
    } catch (error) {
      throw new AppError('database_unavailable', { cause: error });
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#writer.close().then(() => this.#connection.close());
    return this.#closed;
  }

  async #read({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    try {
      return await retryWhileBusy(async () => {
        for (let group = this.#writer.openGroup; group; group = this.#writer.openGroup) await group;
        if (this.#closed !== undefined) throw new AppError('shutting_down');
        return this.#connection.run(sql, parameters);
      });
    } catch (error) {
      throw mapSqliteError(error);
    }
  }
}
