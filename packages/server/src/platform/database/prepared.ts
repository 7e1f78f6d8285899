import type { Compilable, Kysely, QueryResult } from 'kysely';
import type { Dialect } from './dialect.ts';
import { Slot, StatementTemplate } from './statement-template.ts';

/**
 * A statement that is built once per dialect and then executed with different values, because building a statement
 * costs more than SQLite takes to execute it. It is for the few statements that every task or run needs. Everywhere
 * else the query builder itself reads better.
 *
 * `build` may only place the given values in the statement and must not inspect them: null is a value there, not `is
 * null`.
 */
export class Prepared<Tables, Values extends object, Row> {
  readonly #template: StatementTemplate<Tables, keyof Values, Row>;

  constructor(build: (db: Kysely<Tables>, values: Values, dialect: Dialect) => Compilable<Row>) {
    this.#template = new StatementTemplate((db, dialect) => build(db, slots as Values, dialect));
  }

  run(db: Kysely<Tables>, values: Values): Promise<QueryResult<Row>> {
    return this.#template.run(db, (name) => values[name]);
  }

  async first(db: Kysely<Tables>, values: Values): Promise<Row | undefined> {
    const { rows } = await this.run(db, values);
    return rows[0];
  }
}

const slots: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });
