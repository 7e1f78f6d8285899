/** Does one piece of work at a time for each key, in the order of the calls. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const settled = turn
      .catch(() => undefined)
      .finally(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
    return turn;
  }
}
