import type { Compilable, Kysely, QueryResult } from 'kysely';
import type { BoundStatement } from './bound-statement.ts';
import type { Dialect } from './dialect.ts';
import { Slot, StatementTemplate } from './statement-template.ts';

/**
 * A statement that is built once per dialect and then executed with different values, because building a statement
 * costs more than SQLite takes to execute it. It is for the few statements that every task or run needs. Everywhere
 * else the query builder itself reads better.
 *
 * `build` may only place the given values in the statement and must not inspect them: null is a value there, not `is
 * null`. It may place them as a whole, such as the row of an insert: every execution gives the same keys.
 */
export class Prepared<Tables, Values extends object, Row> {
  readonly #build: (db: Kysely<Tables>, values: Values, dialect: Dialect) => Compilable<Row>;
  #template: StatementTemplate<Tables, keyof Values, Row> | undefined;

  constructor(build: (db: Kysely<Tables>, values: Values, dialect: Dialect) => Compilable<Row>) {
    this.#build = build;
  }

  run(db: Kysely<Tables>, values: Values): Promise<QueryResult<Row>> {
    return this.#templateFor(values).run(db, (name) => values[name]);
  }

  /** The statement with these values, for a unit that hands it in. */
  bind(values: Values): BoundStatement {
    return this.#templateFor(values).bind((name) => values[name]);
  }

  async first(db: Kysely<Tables>, values: Values): Promise<Row | undefined> {
    const { rows } = await this.run(db, values);
    return rows[0];
  }

  #templateFor(values: Values): StatementTemplate<Tables, keyof Values, Row> {
    if (this.#template) return this.#template;
    const slots = slotsFor(values);
    this.#template = new StatementTemplate((db, dialect) => this.#build(db, slots, dialect));
    return this.#template;
  }
}

/** Has the keys of the values and holds none of them. A value that is left out has a place as well. */
function slotsFor<Values extends object>(values: Values): Values {
  const keys = Object.fromEntries(Object.keys(values).map((name) => [name, null]));
  return new Proxy(keys, { get: (_, name) => new Slot(String(name)) }) as Values;
}
