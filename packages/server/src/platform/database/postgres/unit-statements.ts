import { CompiledQuery, type QueryResult } from 'kysely';
import { checkParameters } from '../parameters.ts';
import { isRead, type RunStatement } from '../query-builder.ts';

/**
 * The statements of a unit, with the begin before and the commit behind them. First reads are sent together with the begin. What
 * writes waits until the transaction has begun: without one it would stay, whatever becomes of the unit.
 */
export class UnitStatements {
  readonly #begin: CompiledQuery;
  readonly #send: RunStatement;
  #begun: Promise<void> | undefined;
  #hasBegun = false;
  #isHeld = false;

  constructor(send: RunStatement, begin = 'begin') {
    this.#begin = CompiledQuery.raw(begin);
    this.#send = send;
  }

  /** Resolves with whether there is a transaction, once what waited for its begin has been sent. */
  async hasBegun(): Promise<boolean> {
    await this.#begun?.catch(() => undefined); // The unit fails with it.
    return this.#begun !== undefined;
  }

  /** Throws at once when a value cannot be stored. */
  readonly run = (query: CompiledQuery): Promise<QueryResult<unknown>> => {
    checkParameters(query.parameters);
    const begun = this.#beginOnce();
    this.#isHeld ||= !isRead(query);
    return this.#hasBegun || !this.#isHeld ? this.#send(query) : begun.then(() => this.#send(query));
  };

  /**
   * Sends the last statements, and the commit together with them: what they lock is free again without a wait for this process.
   * When one of them fails, Postgres rolls back instead. A unit of one statement needs neither begin nor commit.
   */
  async end(last: readonly CompiledQuery[]): Promise<unknown> {
    for (const { parameters } of last) checkParameters(parameters);
    const [first, second] = last;
    if (this.#begun === undefined && !second) return first && this.#send(first);
    const begun = this.#beginOnce();
    const sent = [...last, CompiledQuery.raw('commit')].map((query) => begun.then(() => this.#send(query)));
    return Promise.all(sent);
  }

  #beginOnce(): Promise<void> {
    if (this.#begun !== undefined) return this.#begun;
    const begun = this.#send(this.#begin).then(() => {
      this.#hasBegun = true;
    });
    begun.catch(() => undefined); // The unit fails with it.
    this.#begun = begun;
    return begun;
  }
}
