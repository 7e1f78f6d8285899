/**
 * Remembers resources in the order in which they were opened and closes them in reverse. (Node 20 has no
 * AsyncDisposableStack.)
 */
export class CloseStack {
  readonly #closers: (() => void | Promise<void>)[] = [];

  /** Call it on the line that opened the resource. */
  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything even if something fails, and then throws the failures. A second call closes nothing. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) throw new AggregateError(failures, 'Several resources could not be closed.');
  }
}
