import { AppError } from '../lib/app-error.ts';

export interface HashingLimits {
  /**
   * Hashes computed at once. They run on libuv's four threads, which files and name look-ups need too, so at most
   * three are ever taken.
   */
  concurrency: number;
  /** Hashes that wait; one more is answered with 429. */
  queue: number;
}

/** Lets few hashes run at once and few wait, so that a storm of logins neither stalls the process nor piles up. */
export class HashingQueue {
  readonly #concurrency: number;
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor({ concurrency, queue }: HashingLimits) {
    this.#concurrency = Math.min(Math.max(concurrency, 1), 3);
    this.#limit = queue;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#concurrency) this.#running += 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits for a place, which the one that ends hands over: `#running` stays as it is. */
  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#limit) throw new AppError('login_busy', { retryAfterSeconds: 1 });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
