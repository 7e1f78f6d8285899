/**
 * Values that several checkpoints of one walk have in common, so that each is loaded and made once. Only the values of the last
 * page are kept: a history that grows by an element a step holds most of them again, and a value that a page lacks seldom comes
 * back.
 */
export class SharedValues {
  #earlier = new Map<string, unknown>();
  #current = new Map<string, unknown>();

  /** Starts a new page. */
  turn(): void {
    this.#earlier = this.#current;
    this.#current = new Map();
  }

  has(hash: string): boolean {
    return this.#current.has(hash) || this.#earlier.has(hash);
  }

  valueOf(hash: string, make: () => unknown): unknown {
    if (this.#current.has(hash)) return this.#current.get(hash);
    const value = this.#earlier.has(hash) ? this.#earlier.get(hash) : make();
    this.#current.set(hash, value);
    return value;
  }
}
