import type { Compilable, Kysely } from 'kysely';
import type { BoundStatement } from './bound-statement.ts';
import { Slot, StatementTemplate } from './statement-template.ts';

/** Keeps a statement well below the maximum number of parameters, and keeps the number of statements small. */
const maxRowsAtOnce = 32;

interface Place<Row> {
  index: number;
  column: keyof Row & string;
}

/** A `Prepared` for a statement over a list of rows. It builds one statement for each number of rows. */
export class PreparedRows<Tables, Row extends object> {
  readonly #columns: readonly (keyof Row & string)[];
  readonly #build: (db: Kysely<Tables>, rows: Row[]) => Compilable<unknown>;
  readonly #statements = new Map<number, StatementTemplate<Tables, Place<Row>, unknown>>();

  constructor(
    columns: readonly (keyof Row & string)[],
    build: (db: Kysely<Tables>, rows: Row[]) => Compilable<unknown>,
  ) {
    this.#columns = columns;
    this.#build = build;
  }

  async run(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
    for (const some of inParts(rows))
      await this.#statement(some.length).run(db, ({ index, column }) => some[index]?.[column]);
  }

  /** The statements with these rows, for a unit that hands them in. */
  bind(rows: readonly Row[]): BoundStatement[] {
    return inParts(rows).map((some) =>
      this.#statement(some.length).bind(({ index, column }) => some[index]?.[column]),
    );
  }

  #statement(count: number): StatementTemplate<Tables, Place<Row>, unknown> {
    const known = this.#statements.get(count);
    if (known) return known;
    const rows = Array.from({ length: count }, (_, index) => this.#slots(index));
    const statement = new StatementTemplate<Tables, Place<Row>, unknown>((db) => this.#build(db, rows));
    this.#statements.set(count, statement);
    return statement;
  }

  #slots(index: number): Row {
    return Object.fromEntries(this.#columns.map((column) => [column, new Slot({ index, column })])) as Row;
  }
}

function inParts<Row>(rows: readonly Row[]): Row[][] {
  const parts = [];
  for (let from = 0; from < rows.length; from += maxRowsAtOnce)
    parts.push(rows.slice(from, from + maxRowsAtOnce));
  return parts;
}
