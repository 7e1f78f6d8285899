/** Lets a fixed number of works run at once. Holders whose works wait take turns, so that a long line of one delays no other. */
export class FairTurns {
  readonly #atOnce: number;
  /** The holder whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<Result>(holder: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await new Promise<void>((resolve) => this.#wait(holder, resolve));
    try {
      return await work();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #wait(holder: string, begin: () => void): void {
    const line = this.#waiting.get(holder);
    if (line) line.push(begin);
    else this.#waiting.set(holder, [begin]);
  }

  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [holder, line] = first;
    const begin = line.shift();
    this.#waiting.delete(holder);
    if (line.length > 0) this.#waiting.set(holder, line);
    return begin;
  }
}
