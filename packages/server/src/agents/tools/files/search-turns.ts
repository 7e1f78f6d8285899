import { ToolFailure } from '../tool-failure.ts';

interface Waiting {
  userId: string;
  begin: () => void;
}

interface SearchLimits {
  atOnce: number;
  waitingPerUser: number;
}

/**
 * Each search takes a processor. One search runs at a time for a user, and a few for all users, in the order of their requests.
 */
export class SearchTurns {
  readonly #limits: SearchLimits;
  readonly #searching = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor(limits: SearchLimits = { atOnce: 2, waitingPerUser: 8 }) {
    this.#limits = limits;
  }

  async run<Value>(userId: string, search: () => Promise<Value>): Promise<Value> {
    const before = this.#waiting.filter((other) => other.userId === userId).length;
    if (before >= this.#limits.waitingPerUser) {
      throw new ToolFailure(
        'too_many_searches',
        'Too many searches at once. Search again when others are done.',
      );
    }
    await new Promise<void>((begin) => {
      this.#waiting.push({ userId, begin });
      this.#next();
    });
    try {
      return await search();
    } finally {
      this.#searching.delete(userId);
      this.#next();
    }
  }

  #next(): void {
    if (this.#searching.size >= this.#limits.atOnce) return;
    const index = this.#waiting.findIndex(({ userId }) => !this.#searching.has(userId));
    const [next] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (!next) return;
    this.#searching.add(next.userId);
    next.begin();
  }
}
