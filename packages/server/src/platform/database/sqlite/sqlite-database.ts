import type { Compilable, CompiledQuery, Kysely, QueryResult, Transaction } from 'kysely';
import { AppError } from '../../../lib/app-error.ts';
import { type Database, type DatabaseMeter, noMeter } from '../database.ts';
import { isSqliteBusy, mapSqliteError } from '../database-errors.ts';
import { readBuilder } from '../query-builder.ts';
import { Snapshot } from '../snapshot.ts';
import type { UnitBody } from '../unit.ts';
import { retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { SqliteSnapshots } from './sqlite-snapshots.ts';
import { sqliteBuilders, sqliteSpelling } from './sqlite-spelling.ts';
import { GroupWriter, type WriterLimits } from './writer.ts';

/** Has one connection and one writer. Reads wait for an open group, because they would see what may yet be rolled back. */
export class SqliteDatabase implements Database<unknown> {
  readonly backend: 'memory' | 'sqlite';
  readonly dialect = 'sqlite';
  readonly read: Kysely<unknown>;
  readonly #connection: SqliteConnection;
  readonly #writer: GroupWriter;
  readonly #snapshots: SqliteSnapshots;
  readonly #meter: DatabaseMeter;
  #closed: Promise<void> | undefined;

  constructor({
    backend,
    connection,
    limits,
    meter = noMeter,
  }: {
    backend: 'memory' | 'sqlite';
    connection: SqliteConnection;
    limits?: Partial<WriterLimits> | undefined;
    meter?: DatabaseMeter;
  }) {
    this.backend = backend;
    this.#meter = meter;
    this.#connection = connection;
    this.#snapshots = new SqliteSnapshots(connection);
    const openSnapshot = () => this.#snapshots.open;
    this.#writer = new GroupWriter({ connection, builders: sqliteBuilders, limits, meter, openSnapshot });
    this.read = readBuilder(sqliteSpelling, (query) => this.#read(query));
  }

  write<Result>(unit: UnitBody<Result>): Promise<Result> {
    return this.#writer.write(unit as UnitBody<unknown>) as Promise<Result>;
  }

  writeOne<Row>(statement: (db: Kysely<unknown>) => Compilable<Row>): Promise<QueryResult<Row>> {
    return this.write((trx) => trx.executeQuery(statement(trx)));
  }

  async snapshot<Result>(read: (frozen: Database<unknown>) => Promise<Result>): Promise<Result> {
    return this.#whenFree(() => this.#snapshots.run((trx) => read(new Snapshot(this, trx))));
  }

  /** A group already keeps every other process out. */
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
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Usually no unit is open, and the result is available at once. */
  #read(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#writer.openGroup || this.#closed !== undefined) return this.#readWhenFree(query);
    try {
      return Promise.resolve(this.#connection.run(query.sql, query.parameters));
    } catch (error) {
      return isSqliteBusy(error) ? this.#readWhenFree(query) : Promise.reject(mapSqliteError(error));
    }
  }

  #readWhenFree({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
    return this.#whenFree(() => this.#connection.run(sql, parameters));
  }

  /** Acts in a turn in which no group is open. A read that meets another process is repeated. */
  async #whenFree<Result>(read: () => Result | Promise<Result>): Promise<Result> {
    try {
      return await retryWhileBusy(async () => {
        for (let group = this.#writer.openGroup; group; group = this.#writer.openGroup) await group;
        if (this.#closed !== undefined) throw new AppError('shutting_down');
        return await read();
      });
    } catch (error) {
      const mapped = mapSqliteError(error);
      this.#meter.failed(mapped);
      throw mapped;
    }
  }

  async #close(): Promise<void> {
    await this.#writer.close();
    for (let open = this.#snapshots.open; open; open = this.#snapshots.open) await open;
    this.#connection.close();
  }
}
