import type { Compilable, Kysely } from 'kysely';
import { Prepared } from './prepared.ts';

/** Keeps a statement well below the number of parameters that a database takes, and the statements few. */
const mostAtOnce = 32;

/** As `Prepared`, for a statement over a list of rows: one statement for each number of rows. */
export class PreparedRows<Tables, Row extends object> {
  readonly #columns: readonly (keyof Row & string)[];
  readonly #build: (db: Kysely<Tables>, rows: Row[]) => Compilable<unknown>;
  readonly #statements = new Map<number, Prepared<Tables, Record<string, unknown>, unknown>>();

  constructor(
    columns: readonly (keyof Row & string)[],
    build: (db: Kysely<Tables>, rows: Row[]) => Compilable<unknown>,
  ) {
    this.#columns = columns;
    this.#build = build;
  }

  async run(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
    for (let from = 0; from < rows.length; from += mostAtOnce) {
      const some = rows.slice(from, from + mostAtOnce);
      await this.#statement(some.length).run(db, this.#valuesOf(some));
    }
  }

  #statement(count: number): Prepared<Tables, Record<string, unknown>, unknown> {
    const known = this.#statements.get(count);
    if (known) return known;
    const statement = new Prepared((db: Kysely<Tables>, slots: Record<string, unknown>) =>
      this.#build(
        db,
        Array.from({ length: count }, (_, index) =>
          Object.fromEntries(this.#columns.map((column) => [column, slots[`${index}.${column}`]])),
        ) as Row[],
      ),
    );
    this.#statements.set(count, statement);
    return statement;
  }

  #valuesOf(rows: readonly Row[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [index, row] of rows.entries()) {
      for (const column of this.#columns) values[`${index}.${column}`] = row[column];
    }
    return values;
  }
}
