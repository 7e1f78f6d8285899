/**
 * Lets a fixed number of callers through in one turn of the event loop. Further callers wait in line for a later turn.
 */
export class Turns {
  readonly #perTurn: number;
  readonly #waiting: (() => void)[] = [];
  #left: number;
  #isOver = true;

  constructor(perTurn: number) {
    this.#perTurn = perTurn;
    this.#left = perTurn;
  }

  /** Resolves at once when no caller waits and this turn has room. */
  async next(): Promise<void> {
    if (this.#left === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return;
    }
    this.#left -= 1;
    this.#renewLater();
  }

  #renewLater(): void {
    if (!this.#isOver) return;
    this.#isOver = false;
    setImmediate(() => {
      this.#isOver = true;
      const admitted = this.#waiting.splice(0, this.#perTurn);
      this.#left = this.#perTurn - admitted.length;
      if (admitted.length > 0) this.#renewLater();
      for (const resolve of admitted) resolve();
    });
  }
}
