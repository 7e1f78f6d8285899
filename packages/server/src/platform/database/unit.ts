import type { CompiledQuery, QueryResult, Transaction } from 'kysely';
import type { BoundStatement } from './bound-statement.ts';
import type { RunAtOnce, TransactionBuilders } from './query-builder.ts';

/**
 * Takes statements whose results the unit does not need. They are run when the unit has returned, in no certain order: none
 * may read or change what another one writes. The unit fails when one of them fails.
 */
export type Lastly = (...statements: readonly BoundStatement[]) => void;

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
    end,
  }: {
    builders: TransactionBuilders;
    run: RunAtOnce;
    /** Called when the unit has returned and none of its statements has failed, with what it has handed in. */
    end?: (last: readonly BoundStatement[], trx: Transaction<unknown>) => Promise<unknown> | undefined;
  },
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const unit = new RunningUnit(run, reject);
    const trx = builders.over((query) => unit.run(query));
    const last: BoundStatement[] = [];
    const lastly: Lastly = (...statements) => {
      unit.requireOpen();
      last.push(...statements);
    };
    const finish = async (result: Result): Promise<void> => {
      unit.end();
      if (unit.failure) throw goneOn(unit.failure.error);
      await end?.(last, trx);
      resolve(result);
    };
    body(trx, lastly)
      .then(finish)
      .catch((error: unknown) => {
        unit.end();
        reject(error);
      });
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
    if (this.#isOver) return Promise.reject(over());
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

  requireOpen(): void {
    if (this.#isOver) throw over();
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

function over(): Error {
  return new Error('This unit is over. Use its trx only until it has answered.');
}
