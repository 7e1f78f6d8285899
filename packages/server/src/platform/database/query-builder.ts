import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely';

/** Executes one statement. The query builder needs nothing else from a database. */
export type RunStatement = (query: CompiledQuery) => Promise<QueryResult<unknown>>;
/**
 * A `RunStatement` for a database that can return the result at once, because an extra promise for each statement adds
 * up.
 */
export type RunAtOnce = (query: CompiledQuery) => QueryResult<unknown> | Promise<QueryResult<unknown>>;

/** The way in which a dialect writes its statements: the half of Kysely's dialect that opens no connections. */
export interface Spelling {
  adapter: DialectAdapter;
  compiler: QueryCompiler;
  createIntrospector: Dialect['createIntrospector'];
}

/** The function behind each builder, for statements that are already compiled. */
const runnerOf = new WeakMap<object, RunStatement>();

/** Avoids the query builder's own way to the connection, which takes longer than SQLite takes for a small statement. */
export function runCompiled<Row>(db: Kysely<never>, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const run = runnerOf.get(db);
  return run ? (run(query) as Promise<QueryResult<Row>>) : db.executeQuery(query);
}

/** A builder for reads only. A write or a transaction throws an error that names `write`. */
export function readBuilder(spelling: Spelling, run: RunStatement): Kysely<unknown> {
  const runRead = onlyReads(run);
  const db = new Kysely<unknown>({ dialect: dialectOf(spelling, new StatementDriver(runRead)) });
  runnerOf.set(db, runRead);
  return db;
}

/** Refuses statements that write. */
export function onlyReads(run: RunStatement): RunStatement {
  return (query) => {
    const refusal = writeRefusal(query);
    return refusal ? Promise.reject(refusal) : run(query);
  };
}

/** Makes builders over statements whose transaction the caller controls. There is one per unit, so they are cheap. */
export class TransactionBuilders {
  readonly #spelling: Spelling;
  readonly #unusedDriver = new StatementDriver(() =>
    Promise.reject(new Error('A transaction has no driver.')),
  );
  readonly #dialect: Dialect;

  constructor(spelling: Spelling) {
    this.#spelling = spelling;
    this.#dialect = dialectOf(spelling, this.#unusedDriver);
  }

  over(run: RunStatement): Transaction<unknown> {
    const connection = connectionOver(run);
    const executor = new DefaultQueryExecutor(this.#spelling.compiler, this.#spelling.adapter, {
      provideConnection: (consumer) => consumer(connection),
    });
    const dialect = this.#dialect;
    const trx = new Transaction({ config: { dialect }, dialect, driver: this.#unusedDriver, executor });
    runnerOf.set(trx, run);
    return trx;
  }
}

function dialectOf({ adapter, compiler, createIntrospector }: Spelling, driver: Driver): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver: () => driver,
    createIntrospector,
    createQueryCompiler: () => compiler,
  };
}

export function isRead({ query, sql }: CompiledQuery): boolean {
  if (query.kind === 'SelectQueryNode') return true;
  return query.kind === 'RawNode' && /^\s*(select|with|explain)\b/i.test(sql);
}

function writeRefusal(query: CompiledQuery): Error | undefined {
  if (isRead(query)) return undefined;
  return new Error(
    `This statement does not only read: ${query.sql.slice(0, 100)}. Hand it to database.write().`,
  );
}

function connectionOver(run: RunStatement): DatabaseConnection {
  return {
    executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
    // A row cursor would keep the connection for as long as its reader wants.
    streamQuery: () => {
      throw new Error('Rows are not streamed from the database. Read them in pages.');
    },
  };
}

class StatementDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(run: RunStatement) {
    this.#connection = connectionOver(run);
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('Transactions go through database.write().');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
}
