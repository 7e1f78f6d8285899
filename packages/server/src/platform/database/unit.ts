import type { CompiledQuery, QueryResult, Transaction } from 'kysely';
import type { RunAtOnce, TransactionBuilders } from './query-builder.ts';

/**
 * Takes statements that the unit has asked for and does not wait for: on Postgres, the commit is sent together with them. The unit
 * fails when one of them fails. A unit that hands in more than single statements fails as well, since it is over by then.
 */
export type Lastly = (...statements: readonly Promise<unknown>[]) => void;

export type UnitBody<Result> = (trx: Transaction<unknown>, lastly: Lastly) => Promise<Result>;

/**
 * Runs the body of a unit over the statements of a transaction. It enforces rules that make transactions behave alike
 * on every database: the body awaits only its `trx`, does not continue after a failed statement, and has finished all
 * work when it returns.
 */
export function runUnit<Result>(
  body: UnitBody<Result>,
  {
    builders,
    run,
    commit,
  }: {
    builders: TransactionBuilders;
    run: RunAtOnce;
    /** Called when the unit has asked for its last statement, and none has failed so far. */
    commit?: () => Promise<unknown>;
  },
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const unit = new RunningUnit(run, reject);
    const trx = builders.over((query) => unit.run(query));
    const last: Promise<unknown>[] = [];
    const lastly: Lastly = (...statements) => {
      for (const statement of statements) statement.catch(() => undefined); // The unit fails with it below.
      last.push(...statements);
    };
    body(trx, lastly).then(
      (result) => {
        unit.end();
        const { failure } = unit;
        if (failure) Promise.all(last).then(() => reject(goneOn(failure.error)), reject);
        else if (last.length === 0 && !commit) resolve(result);
        else Promise.all([...last, commit?.()]).then(() => resolve(result), reject);
      },
      (error: unknown) => {
        unit.end();
        // When one of the last statements has failed, those behind it fail because of it.
        Promise.all(last).then(() => reject(error), reject);
      },
    );
  });
}

class RunningUnit {
  readonly #runStatement: RunAtOnce;
  /** Called when the unit waits for something else. */
  readonly #onForeignAwait: (error: Error) => void;
  #statementsRunning = 0;
  #failure: { error: unknown } | undefined;
  #isOver = false;
  #check: NodeJS.Immediate | undefined;

  constructor(run: RunAtOnce, onForeignAwait: (error: Error) => void) {
    this.#runStatement = run;
    this.#onForeignAwait = onForeignAwait;
    this.#watch();
  }

  get failure(): { error: unknown } | undefined {
    return this.#failure;
  }

  run(query: CompiledQuery): Promise<QueryResult<unknown>> {
    if (this.#isOver) {
      return Promise.reject(new Error('This unit is over. Use its trx only until it has answered.'));
    }
    if (this.#failure) return Promise.reject(goneOn(this.#failure.error));
    try {
      const answer = this.#runStatement(query);
      return answer instanceof Promise ? this.#answered(answer) : Promise.resolve(answer);
    } catch (error) {
      return Promise.reject(this.#failed(error));
    }
  }

  async #answered(answer: Promise<QueryResult<unknown>>): Promise<QueryResult<unknown>> {
    this.#statementsRunning += 1;
    try {
      return await answer;
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#statementsRunning -= 1;
      this.#watch();
    }
  }

  #failed(error: unknown): unknown {
    this.#failure ??= { error };
    return error;
  }

  end(): void {
    this.#isOver = true;
    clearImmediate(this.#check);
  }

  /**
   * The code after a statement runs before the event loop turns. A unit that has neither asked for the next statement
   * nor returned by then waits for something else. It would keep the transaction, and everyone who waits for it, as
   * long.
   */
  #watch(): void {
    if (this.#isOver) return;
    this.#check ??= setImmediate(() => {
      this.#check = undefined;
      if (this.#statementsRunning > 0) return;
      this.end();
      this.#onForeignAwait(
        new Error(
          'A unit awaited something other than its trx. Do that before database.write() or database.snapshot(), and hand in the result.',
        ),
      );
    });
  }
}

/** Postgres has already given the transaction up and would turn its commit into a silent rollback. */
function goneOn(cause: unknown): Error {
  return new Error(
    'A unit went on after one of its statements had failed. Let it throw, or ask for the case with onConflict().',
    { cause },
  );
}
