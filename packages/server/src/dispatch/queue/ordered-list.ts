/** The place of an item in a list; its owner keeps it to remove the item again. */
export interface ListPlace<Item> {
  readonly item: Item;
  previous: ListPlace<Item> | null;
  next: ListPlace<Item> | null;
}

/**
 * A list in ascending order of `isBefore`, made for items that nearly always arrive in order: such items are appended,
 * the few late ones are sorted in, and removing any item is one step.
 */
export class OrderedList<Item> {
  #first: ListPlace<Item> | null = null;
  #last: ListPlace<Item> | null = null;
  #size = 0;
  readonly #isBefore: (a: Item, b: Item) => boolean;

  constructor(isBefore: (a: Item, b: Item) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#size;
  }

  get first(): Item | null {
    return this.#first?.item ?? null;
  }

  add(item: Item): ListPlace<Item> {
    const next = this.#last && this.#isBefore(item, this.#last.item) ? this.#firstAfter(item) : null;
    const place: ListPlace<Item> = { item, previous: next ? next.previous : this.#last, next };
    this.#link(place);
    this.#size++;
    return place;
  }

  /** `place` must come from this list and be in it. */
  remove(place: ListPlace<Item>): void {
    if (place.previous) place.previous.next = place.next;
    else this.#first = place.next;
    if (place.next) place.next.previous = place.previous;
    else this.#last = place.previous;
    this.#size--;
  }

  /**
   * How many items are before this one. Counts from both ends at once; returns its step count when it reaches
   * `maxSteps`.
   */
  countBefore(item: Item, maxSteps: number): number {
    let [front, back] = [this.#first, this.#last];
    for (let step = 0; front && back && step < maxSteps; step++) {
      if (!this.#isBefore(front.item, item)) return step;
      if (this.#isBefore(back.item, item)) return this.#size - step;
      [front, back] = [front.next, back.previous];
    }
    return Math.min(maxSteps, this.#size);
  }

  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let place = this.#first; place; place = place.next) yield place.item;
  }

  #firstAfter(item: Item): ListPlace<Item> | null {
    let place = this.#first;
    while (place && !this.#isBefore(item, place.item)) place = place.next;
    return place;
  }

  #link(place: ListPlace<Item>): void {
    if (place.previous) place.previous.next = place;
    else this.#first = place;
    if (place.next) place.next.previous = place;
    else this.#last = place;
  }
}
