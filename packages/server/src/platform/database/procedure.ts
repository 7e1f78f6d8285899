import type { Transaction } from 'kysely';

/**
 * Part of a write unit that is known by its name and takes plain data, so that it can also be done where the functions of
 * its caller are not: in the thread that writes to SQLite. Its arguments and its answer are copied on the way there and
 * back, an error keeps its name, its message and what an `AppError` says.
 */
export class Procedure<Tables, Args, Result> {
  readonly name: string;
  readonly body: (trx: Transaction<Tables>, args: Args) => Promise<Result>;

  constructor(name: string, body: (trx: Transaction<Tables>, args: Args) => Promise<Result>) {
    this.name = name;
    this.body = body;
  }

  with(args: Args): Step<Result> {
    const run = (trx: Transaction<unknown>): Promise<Result> => this.body(trx as Transaction<Tables>, args);
    return { call: { name: this.name, args }, run };
  }
}

/** A list of them makes a unit. */
export interface Step<Result = unknown> {
  /** Null for what can be done in this thread only. */
  readonly call: Call | null;
  readonly run: (trx: Transaction<unknown>) => Promise<Result>;
}

export interface Call {
  name: string;
  args: unknown;
}

/** As a list of them holds it. */
export interface AnyProcedure {
  readonly name: string;
  readonly body: (trx: never, args: never) => Promise<unknown>;
}

/** The answers of steps, in their order. */
export type Results<Steps extends readonly Step[]> = {
  -readonly [Index in keyof Steps]: Steps[Index] extends Step<infer Result> ? Result : never;
};

export interface PerformOptions<Steps extends readonly Step[]> {
  /** Told when all steps were done and the commit failed: the unit may be written, or not. */
  onDoubt?: ((results: Results<Steps>) => void) | undefined;
}

/** What only functions of this thread can do, as a step beside others. */
export function localStep<Tables, Result>(run: (trx: Transaction<Tables>) => Promise<Result>): Step<Result> {
  return { call: null, run: run as Step<Result>['run'] };
}

type Write = <Result>(unit: (trx: Transaction<unknown>) => Promise<Result>) => Promise<Result>;

/** The steps as a unit of this thread. */
export async function performHere<const Steps extends readonly Step[]>(
  write: Write,
  steps: Steps,
  { onDoubt }: PerformOptions<Steps> = {},
): Promise<Results<Steps>> {
  let done: Results<Steps> | undefined;
  try {
    return await write(async (trx) => {
      const results: unknown[] = [];
      for (const step of steps) results.push(await step.run(trx));
      done = results as Results<Steps>;
      return done;
    });
  } catch (error) {
    if (done) onDoubt?.(done);
    throw error;
  }
}
