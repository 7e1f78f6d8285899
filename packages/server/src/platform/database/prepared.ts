import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import { type Dialect, dialectOf } from './dialect.ts';
import { runCompiled } from './query-builder.ts';

/** Stands in a statement for a value that each run brings along. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * A statement that is built once for each dialect and then run with other values: building one costs more than SQLite
 * takes to run it. For the few that every task or run needs; anywhere else the query builder itself reads better.
 *
 * What `build` is given as values may only be placed in the statement, not looked at: null is a value there, not `is null`.
 */
export class Prepared<Tables, Values extends object, Row> {
  readonly #build: (db: Kysely<Tables>, values: Values, dialect: Dialect) => Compilable<Row>;
  readonly #compiled = new Map<Dialect, CompiledQuery<Row>>();

  constructor(build: (db: Kysely<Tables>, values: Values, dialect: Dialect) => Compilable<Row>) {
    this.#build = build;
  }

  run(db: Kysely<Tables>, values: Values): Promise<QueryResult<Row>> {
    const statement = this.#statementFor(db);
    const parameters = statement.parameters.map((parameter) =>
      parameter instanceof Slot ? values[parameter.name as keyof Values] : parameter,
    );
    return runCompiled(db as unknown as Kysely<never>, { ...statement, parameters });
  }

  async first(db: Kysely<Tables>, values: Values): Promise<Row | undefined> {
    const { rows } = await this.run(db, values);
    return rows[0];
  }

  #statementFor(db: Kysely<Tables>): CompiledQuery<Row> {
    const dialect = dialectOf(db as unknown as Kysely<never>);
    const known = this.#compiled.get(dialect);
    if (known) return known;
    const compiled = this.#build(db, slots as Values, dialect).compile();
    this.#compiled.set(dialect, compiled);
    return compiled;
  }
}

const slots: object = new Proxy({}, { get: (_, name) => new Slot(String(name)) });
