import type { Wording } from '@switchyard/contract/sentences/sentences';
import { sleepWithSignal } from '../../lib/async/sleep-with-signal.ts';
import type { Timer } from '../../lib/async/timer.ts';
import type { Clock } from '../../lib/clock.ts';

interface Question {
  hasBegun: boolean;
  answer: Promise<Wording | null>;
}

/** Time between the starts of two questions: an answer of several megabytes costs the worker something. */
const gapMs = 1_000;

/** Asks a worker what it can run: one question for all callers that want to know at the same time. */
export class CapabilityRefresh {
  readonly #options;
  #present: Question | null = null;
  #next: Promise<Wording | null> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;

  constructor(options: {
    /** Asks the worker. Returns the reason when it did not answer, otherwise null. */
    ask: () => Promise<Wording | null>;
    steadyClock: Clock;
    timer: Timer;
    /** Ends the wait for the next question. */
    signal: AbortSignal;
  }) {
    this.#options = options;
  }

  /**
   * Returns the result of a question that started after this call; an earlier one may have missed a model that was just
   * added.
   */
  refresh(): Promise<Wording | null> {
    if (!this.#present) return this.#begin();
    if (!this.#present.hasBegun) return this.#present.answer;
    this.#next ??= this.#present.answer.then(() => {
      this.#next = null;
      return this.#begin();
    });
    return this.#next;
  }

  #begin(): Promise<Wording | null> {
    const question: Question = { hasBegun: false, answer: Promise.resolve(null) };
    question.answer = this.#put(question).finally(() => {
      this.#present = null;
    });
    this.#present = question;
    return question.answer;
  }

  async #put(question: Question): Promise<Wording | null> {
    const { ask, steadyClock, timer, signal } = this.#options;
    const waitMs = this.#beganMs + gapMs - steadyClock();
    if (waitMs > 0) await sleepWithSignal(waitMs, { signal, timer }).catch(() => undefined);
    if (signal.aborted) return 'The instance is not looked after any more.';
    question.hasBegun = true;
    this.#beganMs = steadyClock();
    return ask();
  }
}
