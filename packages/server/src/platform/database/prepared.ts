import type { Compilable, Kysely, QueryResult } from 'kysely';
import type { Dialect } from './dialect.ts';
import { Slot, StatementTemplate } from './statement-template.ts';

/**
 * A statement that is built once for each dialect and then run with other values: building one costs more than SQLite
 * takes to run it. For the few that every task or run needs; anywhere else the query builder itself reads better.
 *
 * What `build` is given as values may only be placed in the statement, not looked at: null is a value there, not `is null`.
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
