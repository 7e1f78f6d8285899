import type { CompiledQuery, QueryResult, Transaction } from 'kysely';
import { newDeferred } from '../../lib/async/deferred.ts';
import type { RunStatement, TransactionBuilders } from './query-builder.ts';

export type UnitBody<Result> = (trx: Transaction<unknown>) => Promise<Result>;

/**
 * Runs the body of a unit over the statements of a transaction and holds it to the rules that make one transaction like
 * another, whatever the database: it awaits nothing but its `trx`, does not go on after a failed statement, and is over
 * when it has answered.
 */
export async function runUnit<Result>(
  body: UnitBody<Result>,
  { builders, run }: { builders: TransactionBuilders; run: RunStatement },
): Promise<Result> {
  const unit = new RunningUnit(run);
  try {
    const trx = builders.over((query) => unit.run(query));
    const result = await Promise.race([body(trx), unit.foreignAwait]);
    unit.assertNoFailure();
    return result;
  } finally {
    unit.end();
  }
}

class RunningUnit {
  readonly #runStatement: RunStatement;
  readonly #foreignAwait = newDeferred<never>();
  #statementsRunning = 0;
  #failure: { error: unknown } | undefined;
  #isOver = false;
  #check: NodeJS.Immediate | undefined;

  constructor(run: RunStatement) {
    this.#runStatement = run;
    this.#watch();
  }

  /** Rejects when the unit waits for something else; otherwise it stays as it is for ever. */
  get foreignAwait(): Promise<never> {
    return this.#foreignAwait.promise;
  }

  async run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#isOver) throw new Error('This write unit is over. Use its trx only until it has answered.');
    if (this.#failure) throw goneOn(this.#failure.error);
    this.#statementsRunning += 1;
    try {
      return await this.#runStatement(query);
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    } finally {
      this.#statementsRunning -= 1;
      this.#watch();
    }
  }

  assertNoFailure(): void {
    if (this.#failure) throw goneOn(this.#failure.error);
  }

  end(): void {
    this.#isOver = true;
    clearImmediate(this.#check);
  }

  /**
   * What follows a statement runs before the event loop turns. A unit that has neither asked for the next statement nor
   * answered by then waits for something else, and would keep the transaction, and whoever waits for it, as long.
   */
  #watch(): void {
    if (this.#isOver) return;
    this.#check ??= setImmediate(() => {
      this.#check = undefined;
      if (this.#statementsRunning > 0) return;
      this.end();
      this.#foreignAwait.reject(
        new Error(
          'A write unit awaited something other than its trx. Do that before database.write(), and hand in the result.',
        ),
      );
    });
  }
}

/** Postgres has given the transaction up at this point and would answer its commit by an unsaid rollback. */
function goneOn(cause: unknown): Error {
  return new Error(
    'A write unit went on after one of its statements had failed. Let it throw, or ask for the case with onConflict().',
    { cause },
  );
}
