interface Waiting {
  userId: string;
  begin: () => void;
}

interface TurnLimits {
  atOnce: number;
  waitingPerUser: number;
  /** The error for a user who has too much waiting already. */
  full: () => Error;
}

/**
 * Work that takes a processor or much memory. One piece runs at a time for a user, and a few for all users, in the order of their
 * requests.
 */
export class UserTurns {
  readonly #limits: TurnLimits;
  readonly #atWork = new Set<string>();
  readonly #waiting = new Set<Waiting>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** When the signal aborts, work that waits does not begin. Work that has begun looks at the signal itself. */
  async run<Value>(userId: string, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const before = [...this.#waiting].filter((other) => other.userId === userId).length;
    if (before >= this.#limits.waitingPerUser) throw this.#limits.full();
    await this.#turn(userId, signal);
    try {
      return await work();
    } finally {
      this.#atWork.delete(userId);
      this.#next();
    }
  }

  #turn(userId: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        reject(signal?.reason);
      };
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiting = { userId, begin };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#waiting.add(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#atWork.size >= this.#limits.atOnce) return;
    for (const next of this.#waiting) {
      if (this.#atWork.has(next.userId)) continue;
      this.#waiting.delete(next);
      this.#atWork.add(next.userId);
      next.begin();
      return;
    }
  }
}
