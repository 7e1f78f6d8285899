/** What must be closed, in the order in which it was opened; closed in reverse. (Node 20 has no AsyncDisposableStack.) */
export class CloseStack {
  readonly #closers: (() => void | Promise<void>)[] = [];

  /** Called at the line that opened the resource. */
  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /** Closes everything even where one of them fails, and then throws what failed. Asking again closes nothing twice. */
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
