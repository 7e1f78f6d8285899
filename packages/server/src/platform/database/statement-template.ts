import type { Compilable, CompiledQuery, Kysely, QueryResult } from 'kysely';
import type { BoundStatement } from './bound-statement.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { runCompiled } from './query-builder.ts';

/** A place in a statement for a value that each execution provides. */
export class Slot<Key> {
  readonly key: Key;

  constructor(key: Key) {
    this.key = key;
  }
}

/** A statement with slots that is built once per dialect. */
export class StatementTemplate<Tables, Key, Row> {
  readonly build: (db: Kysely<Tables>, dialect: Dialect) => Compilable<Row>;
  readonly #compiled = new Map<Dialect, CompiledQuery<Row>>();

  constructor(build: (db: Kysely<Tables>, dialect: Dialect) => Compilable<Row>) {
    this.build = build;
  }

  run(db: Kysely<Tables>, valueAt: (key: Key) => unknown): Promise<QueryResult<Row>> {
    return runCompiled(db as unknown as Kysely<never>, this.fill(db, valueAt));
  }

  fill(db: Kysely<Tables>, valueAt: (key: Key) => unknown): CompiledQuery<Row> {
    const statement = this.#statementFor(db);
    const parameters = statement.parameters.map((parameter) =>
      parameter instanceof Slot ? valueAt(parameter.key as Key) : parameter,
    );
    return { ...statement, parameters };
  }

  bind(valueAt: (key: Key) => unknown): BoundStatement {
    const template = this as BoundStatement['template'];
    return { template, fill: (db) => this.fill(db as Kysely<Tables>, valueAt) };
  }

  #statementFor(db: Kysely<Tables>): CompiledQuery<Row> {
    const dialect = dialectOf(db);
    const known = this.#compiled.get(dialect);
    if (known) return known;
    const compiled = this.build(db, dialect).compile();
    this.#compiled.set(dialect, compiled);
    return compiled;
  }
}
