interface Waiting {
  userId: string;
  begin: () => void;
}

/** Work that takes a processor or much memory. Users whose work waits take turns, so that a long line of one delays no other. */
export class UserTurns {
  readonly #limits;
  readonly #atWork: string[] = [];
  /** In the order of their requests, for each user. The user whose turn is next comes first. */
  readonly #lines = new Map<string, Set<Waiting>>();

  constructor(limits: {
    /** The amount of work that runs at once for all users. */
    atOnce: number;
    /** The part of it that one user may have. */
    atOncePerUser: number;
    /** The amount that may wait for one user, and the error beyond it. Without it the caller has a limit of its own. */
    waiting?: { perUser: number; full: () => Error };
  }) {
    this.#limits = limits;
  }

  /** When the signal aborts, work that waits does not begin. Work that has begun looks at the signal itself. */
  async run<Value>(userId: string, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const { waiting } = this.#limits;
    if (waiting && (this.#lines.get(userId)?.size ?? 0) >= waiting.perUser) throw waiting.full();
    await this.#turn(userId, signal);
    try {
      return await work();
    } finally {
      this.#atWork.splice(this.#atWork.indexOf(userId), 1);
      this.#next();
    }
  }

  #turn(userId: string, signal: AbortSignal | undefined): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const giveUp = (): void => {
        this.#leave(waiting);
        reject(signal?.reason);
      };
      const begin = (): void => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      };
      const waiting = { userId, begin };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener('abort', giveUp, { once: true });
      const line = this.#lines.get(userId);
      if (line) line.add(waiting);
      else this.#lines.set(userId, new Set([waiting]));
      this.#next();
    });
  }

  #leave(waiting: Waiting): void {
    const line = this.#lines.get(waiting.userId);
    line?.delete(waiting);
    if (line?.size === 0) this.#lines.delete(waiting.userId);
  }

  #next(): void {
    const { atOnce, atOncePerUser } = this.#limits;
    if (this.#atWork.length >= atOnce) return;
    for (const [userId, line] of this.#lines) {
      if (this.#atWork.filter((other) => other === userId).length >= atOncePerUser) continue;
      const [first] = line;
      if (!first) continue;
      // To the end of the row, behind the users who wait as well.
      this.#lines.delete(userId);
      line.delete(first);
      if (line.size > 0) this.#lines.set(userId, line);
      this.#atWork.push(userId);
      first.begin();
      return;
    }
  }
}
