/** The removed items at the front are cut off when there are this many, and they are half of the array. */
const minCutOff = 32;

/**
 * A list in ascending order of `isBefore`, made for items that nearly always arrive in order and are taken from the
 * front. An array, because a hundred thousand tasks may wait and links between them would take more memory than the tasks.
 */
export class OrderedList<Item> {
  #items: (Item | undefined)[] = [];
  /** The index of the first item; what stood before it was removed. */
  #front = 0;
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length - this.#front;
  }

  get first(): Item | null {
    return this.#items[this.#front] ?? null;
  }

  /** An item that is equal to others stands behind them. */
  add(item: Item): void {
    const index = this.#indexBy((other) => !this.#isBefore(item, other));
    // Most lists have one item, and an array that grows has room for many.
    if (this.#items.length === 0) this.#items = [item];
    else if (index === this.#items.length) this.#items.push(item);
    else this.#items.splice(index, 0, item);
  }

  /** `item` must be in the list. */
  remove(item: Item): void {
    let index = this.#front + this.countBefore(item);
    while (index < this.#items.length && this.#items[index] !== item) index += 1;
    if (index === this.#front) this.#removeFirst();
    else this.#items.splice(index, 1);
  }

  /** Returns how many items are before this one. */
  countBefore(item: Item): number {
    return this.#indexBy((other) => this.#isBefore(other, item)) - this.#front;
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let index = this.#front; index < this.#items.length; index += 1) yield this.#items[index] as Item;
  }

  #removeFirst(): void {
    this.#items[this.#front] = undefined;
    this.#front += 1;
    const isWorthwhile = this.#front >= minCutOff && 2 * this.#front >= this.#items.length;
    if (this.size > 0 && !isWorthwhile) return;
    this.#items = this.#items.slice(this.#front);
    this.#front = 0;
  }

  /** The index behind the items for which `goesFirst` is true; they stand before all others. */
  #indexBy(goesFirst: (item: Item) => boolean): number {
    const last = this.#items.at(-1);
    if (last === undefined || goesFirst(last)) return this.#items.length;
    let [from, to] = [this.#front, this.#items.length - 1];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (goesFirst(this.#items[middle] as Item)) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
