import type { CompiledQuery, QueryResult } from 'kysely';
import { checkParameters } from '../parameters.ts';
import { isRead, type RunStatement } from '../query-builder.ts';

/**
 * The begin of a unit, and the statements behind it. First reads are sent together with the begin. What writes waits until the
 * transaction has begun: without one it would stay, whatever becomes of the unit.
 */
export class UnitBegin {
  /** Rejects when the transaction could not begin. What waited for it has been sent by then. */
  readonly begun: Promise<void>;
  readonly #run: RunStatement;
  #hasBegun = false;
  #isHeld = false;

  constructor(begin: Promise<unknown>, run: RunStatement) {
    this.#run = run;
    this.begun = begin.then(() => {
      this.#hasBegun = true;
    });
    this.begun.catch(() => undefined); // The unit fails with it.
  }

  /** Throws at once when a value cannot be stored: the commit may be sent before a promise could say so. */
  readonly run = (query: CompiledQuery): Promise<QueryResult<unknown>> => {
    checkParameters(query.parameters);
    this.#isHeld ||= !isRead(query);
    return this.#hasBegun || !this.#isHeld ? this.#run(query) : this.begun.then(() => this.#run(query));
  };
}
