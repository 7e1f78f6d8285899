import pg from 'pg';

/** What a database was asked for since the counting began. */
export interface Statements {
  /** All of them; `begin` and `commit` count. */
  all: number;
  /** The transactions that wrote or locked something, also those of a single statement. */
  commits: number;
  /** The most frequent first. Their times include the wait for a lock. */
  each: { query: string; calls: number; totalMs: number; slowestMs: number }[];
}

/** Counts the statements of one database of a server that was started with `countsStatements`. */
export class StatementCounts {
  readonly #client: pg.Client;
  #firstTransaction = 0;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(database: string): Promise<StatementCounts> {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    await client.query('create extension if not exists pg_stat_statements');
    return new StatementCounts(client);
  }

  async begin(): Promise<void> {
    await this.#client.query('select pg_stat_statements_reset()');
    this.#firstTransaction = await this.#nextTransaction();
  }

  async read(): Promise<Statements> {
    const { rows } = await this.#client.query<{
      query: string;
      calls: string;
      total: number;
      slowest: number;
    }>(
      `select query, calls, total_exec_time as total, max_exec_time as slowest from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
       and query not like '%pg_stat_statements%' and query not like '%pg_snapshot_xmax%' order by calls desc`,
    );
    const each = rows.map(({ query, calls, total, slowest }) => ({
      query,
      calls: Number(calls),
      totalMs: total,
      slowestMs: slowest,
    }));
    const sum = (of: (one: (typeof each)[number]) => number): number =>
      each.reduce((total, one) => total + of(one), 0);
    return {
      all: sum(({ calls }) => calls),
      commits: (await this.#nextTransaction()) - this.#firstTransaction,
      each,
    };
  }

  /** Only a transaction that writes or locks takes a number. */
  async #nextTransaction(): Promise<number> {
    const { rows } = await this.#client.query<{ next: string }>(
      'select pg_snapshot_xmax(pg_current_snapshot())::text as next',
    );
    return Number(rows[0]?.next);
  }

  async close(): Promise<void> {
    await this.#client.end();
  }
}
