import type { CompiledQuery } from 'kysely';

/** Each connection keeps the plans of the statements that have a name, so their number has a limit. */
const maxNames = 500;

/**
 * Names for statements, so that Postgres parses and plans each of them once for a connection. A statement that comes after the
 * limit, or has no parameters, has no name and is planned each time.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  of({ sql, parameters }: Pick<CompiledQuery, 'sql' | 'parameters'>): string | undefined {
    if (parameters.length === 0) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= maxNames) return known;
    const name = `switchyard_${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}
