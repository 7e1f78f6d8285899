import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  Transaction,
} from 'kysely';

/** Runs one statement. All that the query builder needs of a database. */
export type RunStatement = (query: CompiledQuery) => Promise<QueryResult<unknown>>;

/** How a dialect spells its statements; the half of Kysely's dialect that opens no connections. */
export type Spelling = Pick<Dialect, 'createAdapter' | 'createIntrospector' | 'createQueryCompiler'>;

/** Reads only: what writes, or wants a transaction, is told to go through `write`. */
export function readBuilder(spelling: Spelling, run: RunStatement): Kysely<unknown> {
  const checked: RunStatement = async (query) => {
    refuseWrite(query);
    return run(query);
  };
  return new Kysely({ dialect: { ...spelling, createDriver: () => new StatementDriver(checked) } });
}

/** The query builder over statements that somebody else keeps within a transaction. */
export function transactionBuilder(spelling: Spelling, run: RunStatement): Transaction<unknown> {
  const driver = new StatementDriver(run);
  const dialect = { ...spelling, createDriver: () => driver };
  const executor = new DefaultQueryExecutor(spelling.createQueryCompiler(), spelling.createAdapter(), {
    provideConnection: (consumer) => consumer(driver.connection),
  });
  return new Transaction({ config: { dialect }, dialect, driver, executor });
}

function refuseWrite({ query, sql }: CompiledQuery): void {
  if (query.kind === 'SelectQueryNode') return;
  if (query.kind === 'RawNode' && /^\s*(select|with|explain)\b/i.test(sql)) return;
  throw new Error(`This statement does not only read: ${sql.slice(0, 100)}. Hand it to database.write().`);
}

class StatementDriver implements Driver {
  readonly connection: DatabaseConnection;

  constructor(run: RunStatement) {
    this.connection = {
      executeQuery: <Row>(query: CompiledQuery) => run(query) as Promise<QueryResult<Row>>,
      // A row cursor would keep the connection for as long as its reader likes.
      streamQuery: () => {
        throw new Error('Rows are not streamed from the database. Read them in pages.');
      },
    };
  }

  async init(): Promise<void> {}
  async destroy(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.connection;
  }
  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error('Transactions go through database.write().');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
}
