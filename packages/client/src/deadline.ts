import { ConnectionError } from './errors.ts';
import { systemTimer, type Timer } from './timer.ts';

interface DeadlineOptions {
  /** The caller's signal. When it aborts, the work ends with its reason. */
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  timer?: Timer | undefined;
}

/** Ends work from outside: when the caller aborts it, or when it takes too long. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #callerSignal: AbortSignal | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor({ signal, timeoutMs, timer = systemTimer }: DeadlineOptions) {
    this.#timer = timer;
    this.#callerSignal = signal;
    if (signal?.aborted) this.#controller.abort(signal.reason);
    signal?.addEventListener('abort', this.#onCallerAbort);
    this.extend(timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the time again with `timeoutMs`. Called for each sign of life where only silence is a fault. */
  extend(timeoutMs: number): void {
    this.#cancelTimer();
    const message = `The gateway did not answer within ${timeoutMs / 1_000} s.`;
    this.#cancelTimer = this.#timer(
      () => this.#controller.abort(new ConnectionError('timed_out', message)),
      timeoutMs,
    );
  }

  /** Stops the time while nothing is awaited. */
  pause(): void {
    this.#cancelTimer();
  }

  /** The work has failed: aborts what it still sends or receives. */
  abandon(reason: unknown): void {
    this.release();
    this.#controller.abort(reason);
  }

  /** The work is over: releases the timer and the listener. */
  release(): void {
    this.#cancelTimer();
    this.#callerSignal?.removeEventListener('abort', this.#onCallerAbort);
  }

  readonly #onCallerAbort = (): void => {
    this.#controller.abort(this.#callerSignal?.reason);
  };
}

export async function withDeadline<Result>(
  options: DeadlineOptions,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new Deadline(options);
  try {
    const result = await work(deadline.signal);
    deadline.release();
    return result;
  } catch (error) {
    deadline.abandon(error);
    throw error;
  }
}
