import type { CompiledQuery, Kysely, QueryResult, Transaction } from 'kysely';
import { AppError } from '../../lib/app-error.ts';
import type { Database } from './database.ts';
import { isSqliteBusy, mapSqliteError } from './database-errors.ts';
import { type Call, type PerformOptions, performHere, type Results, type Step } from './procedure.ts';
import { readBuilder } from './query-builder.ts';
import { retryWhileBusy } from './sqlite-busy.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { sqliteBuilders, sqliteSpelling } from './sqlite-spelling.ts';
import type { UnitBody } from './unit.ts';
import { Crowd } from './write-thread/crowd.ts';
import type { WriteThread } from './write-thread/write-thread.ts';
import { GroupWriter, type WriterLimits } from './writer.ts';

interface SqliteOptions {
  backend: 'memory' | 'sqlite';
  connection: SqliteConnection;
  /** Does the units that are made of procedures, so that this thread is free meanwhile. */
  thread?: WriteThread | undefined;
  limits?: Partial<WriterLimits> | undefined;
}

/**
 * One connection for this thread, and one gate: without it readers would see what may yet be rolled back. The thread that
 * writes has a connection of its own, and the writer lets only one of the two write at a time: a connection that waits for
 * the other one's lock would hold the event loop.
 */
export class SqliteDatabase implements Database<unknown> {
  readonly backend: 'memory' | 'sqlite';
  readonly dialect = 'sqlite';
  readonly read: Kysely<unknown>;
  readonly #connection: SqliteConnection;
  readonly #writer: GroupWriter;
  readonly #thread: WriteThread | undefined;
  readonly #crowd = new Crowd();
  #closed: Promise<void> | undefined;

  constructor({ backend, connection, thread, limits }: SqliteOptions) {
    this.backend = backend;
    this.#connection = connection;
    this.#thread = thread;
    this.#writer = new GroupWriter({ connection, builders: sqliteBuilders, thread, limits });
    this.read = readBuilder(sqliteSpelling, (query) => this.#read(query));
  }

  write<Result>(unit: (trx: Transaction<unknown>) => Promise<Result>): Promise<Result> {
    return this.#writer.write(unit as UnitBody<unknown>) as Promise<Result>;
  }

  perform<const Steps extends readonly Step[]>(
    steps: Steps,
    options: PerformOptions<Steps> = {},
  ): Promise<Results<Steps>> {
    const here = (): Promise<Results<Steps>> => performHere((unit) => this.write(unit), steps, options);
    const thread = this.#thread;
    const calls = callsOf(steps);
    if (!thread || !calls) return here();
    const onDoubt = options.onDoubt as ((results: unknown) => void) | undefined;
    // The way there and back takes longer than a short unit, which matters to who comes alone and to nobody in a crowd.
    return this.#crowd.join((isCrowded) =>
      isCrowded ? (this.#writer.send(thread, calls, onDoubt) as Promise<Results<Steps>>) : here(),
    );
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
    this.#closed ??= this.#writer.close().then(() => this.#connection.close());
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

  async #readWhenFree({ sql, parameters }: CompiledQuery): Promise<QueryResult<unknown>> {
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

/** Returns null when one of the steps can only be done in this thread. */
function callsOf(steps: readonly Step[]): Call[] | null {
  const calls: Call[] = [];
  for (const { call } of steps) {
    if (!call) return null;
    calls.push(call);
  }
  return calls;
}
