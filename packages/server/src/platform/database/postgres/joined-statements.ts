import type { CompiledQuery, Kysely } from 'kysely';
import type { BoundStatement } from '../bound-statement.ts';

/** Keeps a statement well below the maximum number of parameters. */
const maxJoined = 8;
/** Further combinations are built each time. */
const maxKept = 500;

/** The combinations that begin with the same templates. */
interface Branch {
  next: Map<BoundStatement['template'], Branch>;
  sql?: string;
}

/** Makes one statement of several that do not depend on each other: the others are common table expressions of the first. */
export class JoinedStatements {
  readonly #root: Branch = { next: new Map() };
  #kept = 0;

  of(db: Kysely<unknown>, statements: readonly BoundStatement[]): CompiledQuery[] {
    const joined = [];
    for (let from = 0; from < statements.length; from += maxJoined)
      joined.push(this.#join(db, statements.slice(from, from + maxJoined)));
    return joined;
  }

  #join(db: Kysely<unknown>, statements: readonly BoundStatement[]): CompiledQuery {
    const filled = statements.map((statement) => statement.fill(db));
    const [first, ...others] = filled;
    if (!first) throw new Error('There is no statement to run.');
    if (others.length === 0) return first;
    const sql = this.#sqlOf(db, statements);
    // The engine runs the first one, then the expressions from the last to the first one.
    const parameters = [...others.reverse(), first].flatMap((query) => query.parameters);
    return { ...first, sql, parameters };
  }

  #sqlOf(db: Kysely<unknown>, statements: readonly BoundStatement[]): string {
    let branch = this.#root;
    for (const { template } of statements) {
      const next = branch.next.get(template) ?? { next: new Map() };
      if (this.#kept < maxKept) branch.next.set(template, next);
      branch = next;
    }
    if (branch.sql !== undefined) return branch.sql;
    this.#kept += 1;
    branch.sql = joinedSql(db, statements);
    return branch.sql;
  }
}

function joinedSql(db: Kysely<unknown>, [first, ...others]: readonly BoundStatement[]): string {
  if (!first) return '';
  const along = others.reverse().reduce((along: Kysely<unknown>, { template }, index) => {
    const expression = () => template.build(db, 'postgres');
    return along.with(`also_${index}`, expression as never) as unknown as Kysely<unknown>;
  }, db);
  return first.template.build(along, 'postgres').compile().sql;
}
