/** A binary heap: the smallest item by `isBefore` is on top. */
export class MinHeap<Item> {
  readonly #items: Item[] = [];
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
  }

  pop(): Item | undefined {
    const top = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return top;
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfBefore(index, parent)) return;
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#isBeforeAt(left + 1, left) ? left + 1 : left;
      if (!this.#swapIfBefore(child, index)) return;
      index = child;
    }
  }

  #isBeforeAt(a: number, b: number): boolean {
    const [itemA, itemB] = [this.#items[a], this.#items[b]];
    return itemA !== undefined && itemB !== undefined && this.#isBefore(itemA, itemB);
  }

  #swapIfBefore(lower: number, upper: number): boolean {
    const [below, above] = [this.#items[lower], this.#items[upper]];
    if (below === undefined || above === undefined || !this.#isBefore(below, above)) return false;
    this.#items[lower] = above;
    this.#items[upper] = below;
    return true;
  }
}
