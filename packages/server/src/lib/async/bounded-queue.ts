import { type Deferred, newDeferred } from './deferred.ts';

/**
 * A queue for one reader that holds at most `limit` items. A full queue refuses further items, so memory never grows
 * because of a slow reader. The writer decides what happens then: drop the item, close the reader, or tell it.
 */
export class BoundedQueue<Item extends NonNullable<unknown> | null> implements AsyncIterable<Item> {
  readonly #limit: number;
  readonly #items: Item[] = [];
  #ended: { error?: unknown } | undefined;
  #waiting: Deferred<void> | undefined;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1)
      throw new RangeError(`A queue holds at least 1 item: ${limit}.`);
    this.#limit = limit;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Returns false when the queue is full or has ended; the item was not added. */
  push(item: Item): boolean {
    if (this.#ended || this.#items.length >= this.#limit) return false;
    this.#items.push(item);
    this.#waiting?.resolve();
    return true;
  }

  /** The reader still gets what is queued, then the end, or `error` if it is given. */
  end(error?: unknown): void {
    this.#ended ??= error === undefined ? {} : { error };
    this.#waiting?.resolve();
  }

  /** Leaving the loop ends the queue, so that the writer notices that the reader is gone. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    try {
      for (;;) {
        for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) yield item;
        if (this.#ended) break;
        this.#waiting = newDeferred();
        await this.#waiting.promise;
      }
      if (this.#ended && 'error' in this.#ended) throw this.#ended.error;
    } finally {
      this.end();
      this.#items.length = 0;
    }
  }
}
