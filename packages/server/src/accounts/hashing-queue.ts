import type { Caller } from '../http/caller.ts';
import { AppError } from '../lib/app-error.ts';
import { Shares } from '../lib/shares.ts';

export interface HashingLimits {
  /**
   * Hashes computed at once. They run on libuv's four threads, which files and name look-ups need too, so at most
   * three are ever taken.
   */
  concurrency: number;
  /** Hashes that wait; one more is answered with 429. */
  queue: number;
}

/** Of all places, one user or one address that is not signed in may have this part: the rest is for others. */
const partOfOne = 1 / 4;

/** Lets few hashes run at once and few wait, so that a storm of logins neither stalls the process nor piles up. */
export class HashingQueue {
  readonly #concurrency: number;
  readonly #limit: number;
  readonly #shares: Shares;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor({ concurrency, queue }: HashingLimits) {
    this.#concurrency = Math.min(Math.max(concurrency, 1), 3);
    this.#limit = queue;
    const places = this.#concurrency + queue;
    this.#shares = new Shares({ each: Math.ceil(places * partOfOne), together: places });
  }

  /** Without a caller, as at the start of the gateway, no share is counted. */
  async run<Result>(work: () => Promise<Result>, caller?: Caller): Promise<Result> {
    if (caller && this.#shares.take(caller.holder) !== 'taken') throw busy();
    try {
      return await this.#inTurn(work, caller?.gone);
    } finally {
      if (caller) this.#shares.give(caller.holder);
    }
  }

  async #inTurn<Result>(work: () => Promise<Result>, gone: AbortSignal | undefined): Promise<Result> {
    if (gone?.aborted) throw busy();
    if (this.#running < this.#concurrency) this.#running += 1;
    else await this.#turn(gone);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#running -= 1;
    }
  }

  /**
   * Waits for a place, which the one that ends hands over: `#running` stays as it is. A client that leaves meanwhile leaves
   * the queue as well, and nothing is computed for it.
   */
  #turn(gone: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.size >= this.#limit) throw busy();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(start);
        reject(busy());
      };
      const start = (): void => {
        this.#waiting.delete(start);
        gone?.removeEventListener('abort', leave);
        resolve();
      };
      gone?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(start);
    });
  }
}

function busy(): AppError {
  return new AppError('login_busy', { retryAfterSeconds: 1 });
}
