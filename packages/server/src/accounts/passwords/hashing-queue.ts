import type { Caller } from '../../http/access/caller.ts';
import { AppError } from '../../lib/app-error.ts';
import { Shares } from '../../lib/shares.ts';

export interface HashingLimits {
  /**
   * Maximum number of hashes at the same time. They run on libuv's four threads, which file access and name look-ups
   * also need, so at most three are used.
   */
  concurrency: number;
  /** Maximum number of waiting hashes. Further ones get 429. */
  queue: number;
}

/** The share of all places that one user, or one address that is not signed in, may have. The rest is for others. */
const partOfOne = 1 / 4;

/**
 * Limits how many hashes run and how many wait, so that a storm of logins neither stalls the process nor fills its
 * memory.
 */
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
   * Waits for a place. Finished work passes its place on, so `#running` does not change. A client that disconnects
   * meanwhile leaves the queue, and nothing is computed for it.
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
