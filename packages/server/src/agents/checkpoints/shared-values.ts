/**
 * The values that checkpoints of one walk have in common, each loaded and made once. Only those of the last page are kept:
 * a history that grows by an element a step holds most of them again, and what a page lacks seldom comes back.
 */
export class SharedValues {
  #earlier = new Map<string, unknown>();
  #current = new Map<string, unknown>();

  /** Begins a page. */
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
