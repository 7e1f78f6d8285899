import {
  type Compilable,
  CompiledQuery,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type Transaction,
} from 'kysely';
import type { ClientBase, Pool } from 'pg';
import { AppError } from '../../../lib/app-error.ts';
import { type Database, type DatabaseMeter, noMeter } from '../database.ts';
import { isConnectionLost, isPreparedLost, mapPostgresError } from '../database-errors.ts';
import { checkParameters } from '../parameters.ts';
import {
  onlyReads,
  type RunStatement,
  readBuilder,
  type Spelling,
  TransactionBuilders,
} from '../query-builder.ts';
import { Snapshot } from '../snapshot.ts';
import { runUnit, type UnitBody } from '../unit.ts';
import { JoinedStatements } from './joined-statements.ts';
import { connectAlone, newPool, type PostgresOptions, queryOn } from './postgres-connections.ts';
import { StatementNames } from './statement-names.ts';
import { UnitStatements } from './unit-statements.ts';

const spelling: Spelling = {
  adapter: new PostgresAdapter(),
  compiler: new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
};
const builders = new TransactionBuilders(spelling);

/** Maximum number of callers that wait for a connection. Further callers are refused, so that memory stays bounded. */
const waitingCallers = 10_000;
/** A number that no other program uses for a lock in the same database. */
const exclusiveLock = 7_300_104_729;

/**
 * Each unit is a transaction of its own, on a connection from the pool. A unit or a read that meets a statement which was prepared
 * for an older table is done again with statements that are not prepared.
 */
export class PostgresDatabase implements Database<unknown> {
  readonly backend = 'postgres';
  readonly dialect = 'postgres';
  readonly read: Kysely<unknown>;
  readonly #options: PostgresOptions;
  readonly #meter: DatabaseMeter;
  readonly #pool: Pool;
  readonly #names = new StatementNames();
  readonly #joined = new JoinedStatements();
  #closed: Promise<void> | undefined;
  /** The number of callers that wait for a connection or use one. */
  #callers = 0;
  #onLastCaller = (): void => undefined;

  constructor({ meter = noMeter, ...options }: PostgresOptions & { meter?: DatabaseMeter }) {
    this.#options = options;
    this.#meter = meter;
    this.#pool = newPool(options);
    this.read = readBuilder(spelling, (query) => this.#alone(query));
  }

  write<Result>(unit: UnitBody<Result>): Promise<Result> {
    return this.#withConnection((connection) => transact(connection, unit, { joined: this.#joined }));
  }

  async writeOne<Row>(statement: (db: Kysely<unknown>) => Compilable<Row>): Promise<QueryResult<Row>> {
    return (await this.#alone(statement(this.read).compile())) as QueryResult<Row>;
  }

  snapshot<Result>(read: (frozen: Database<unknown>) => Promise<Result>): Promise<Result> {
    return this.#withConnection((connection) =>
      transact(connection, (trx) => read(new Snapshot(this, trx)), {
        joined: this.#joined,
        begin: 'begin isolation level repeatable read, read only',
        only: onlyReads,
      }),
    );
  }

  async exclusive<Result>(unit: (trx: Transaction<unknown>) => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) throw new AppError('shutting_down');
    const client = await mapped(connectAlone(this.#options));
    try {
      const alone: UnitBody<Result> = async (trx) => {
        await trx.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${exclusiveLock})`));
        return unit(trx);
      };
      return await transact(new Connection(client), alone, { joined: this.#joined });
    } finally {
      await client.end();
    }
  }

  withTables<AreaTables>(): Database<AreaTables> {
    return this as unknown as Database<AreaTables>;
  }

  async ping(deadlineMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      const message = `The database did not answer within ${deadlineMs} ms.`;
      timer = setTimeout(() => reject(new AppError('database_unavailable', { message })), deadlineMs);
    });
    const answered = this.#withConnection((connection) => connection.query(CompiledQuery.raw('select 1')));
    try {
      await Promise.race([answered, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #alone(query: CompiledQuery): Promise<QueryResult<unknown>> {
    return this.#withConnection((connection) => {
      checkParameters(query.parameters);
      return connection.query(query);
    });
  }

  /** A pool that ends closes its idle connections and forgets callers that were about to get one, so they come first. */
  async #end(): Promise<void> {
    if (this.#callers > 0)
      await new Promise<void>((resolve) => {
        this.#onLastCaller = resolve;
      });
    await this.#pool.end();
  }

  async #withConnection<Result>(use: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#closed !== undefined) throw new AppError('shutting_down');
    this.#callers += 1;
    try {
      if (this.#pool.waitingCount >= waitingCallers) {
        throw new AppError('database_busy', { retryAfterSeconds: 1 });
      }
      return await this.#withClient(use);
    } catch (error) {
      this.#meter.failed(error);
      throw error;
    } finally {
      this.#callers -= 1;
      if (this.#callers === 0) this.#onLastCaller();
    }
  }

  async #withClient<Result>(use: (connection: Connection) => Promise<Result>): Promise<Result> {
    const askedMs = performance.now();
    const client = await mapped(this.#pool.connect());
    const beganMs = performance.now();
    this.#meter.waited(beganMs - askedMs);
    const connection = new Connection(client, this.#names);
    try {
      return await use(connection);
    } catch (error) {
      if (!connection.isOutdated) throw error;
      return await use(new Connection(client));
    } finally {
      client.release(connection.isLost || connection.isOutdated);
      this.#meter.worked(performance.now() - beganMs);
    }
  }
}

/** A connection while a caller uses it. */
class Connection {
  readonly #client: ClientBase;
  readonly #names: StatementNames | undefined;
  /** True once an answer is missing: the next answer might belong to the previous query. */
  isLost = false;
  /** True once a statement that was prepared here cannot be used any more. What was asked was not done. */
  isOutdated = false;

  /** Without names each statement is planned when it is executed. */
  constructor(client: ClientBase, names?: StatementNames) {
    this.#client = client;
    this.#names = names;
  }

  /** Sends a query at once. Postgres does those that were sent together one after the other, in their order. */
  async query(query: CompiledQuery): ReturnType<typeof queryOn> {
    try {
      return await queryOn(this.#client, query, this.#names?.of(query));
    } catch (error) {
      this.isLost ||= isConnectionLost(error);
      this.isOutdated ||= isPreparedLost(error);
      throw mapPostgresError(error);
    }
  }
}

async function transact<Result>(
  connection: Connection,
  body: UnitBody<Result>,
  {
    joined,
    begin,
    only = (run) => run,
  }: { joined: JoinedStatements; begin?: string; only?: (run: RunStatement) => RunStatement },
): Promise<Result> {
  const statements = new UnitStatements((query) => connection.query(query), begin);
  try {
    return await runUnit(body, {
      builders,
      run: only(statements.run),
      end: (last, trx) => statements.end(joined.of(trx, last)),
    });
  } catch (error) {
    // Nothing may be sent behind the rollback.
    if (await statements.hasBegun()) await rollBack(connection);
    throw error;
  }
}

/** A connection that cannot even roll back is not used again, and the server rolls back by itself. */
async function rollBack(connection: Connection): Promise<void> {
  if (connection.isLost) return;
  await connection.query(CompiledQuery.raw('rollback')).catch(() => {
    connection.isLost = true;
  });
}

async function mapped<Result>(connecting: Promise<Result>): Promise<Result> {
  try {
    return await connecting;
  } catch (error) {
    throw mapPostgresError(error);
  }
}
