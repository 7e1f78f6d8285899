import { type Deferred, newDeferred } from './deferred.ts';
import { systemTimer, type Timer } from './timer.ts';

interface PingOptions<Ping> {
  /** The time for which the source may be silent before a ping is yielded. */
  everyMs: number;
  ping: () => Ping;
  timer?: Timer;
}

/**
 * Yields the items of `source`, and a ping whenever it has been silent for `everyMs`. A source that may wait for ever
 * needs a signal of its own: a waiting generator notices that its reader has left only when it wakes.
 */
export async function* withPing<Item, Ping>(
  source: AsyncIterable<Item>,
  options: PingOptions<Ping>,
): AsyncGenerator<Item | Ping, void, undefined> {
  const { everyMs, ping, timer = systemTimer } = options;
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = new Pending(iterator.next());
      while (!(await next.settlesWithin(everyMs, timer))) yield ping();
      const { done, value } = await next.promise;
      if (done) return;
      yield value;
    }
  } finally {
    // Not awaited, because a source that still waits would delay the reader's leaving. No one needs its late failure.
    iterator.return?.()?.then(undefined, () => undefined);
  }
}

/**
 * Watches a promise through a single handler, however often it is asked, so that an idle stream uses no more memory
 * over time.
 */
class Pending<Value> {
  readonly promise: Promise<Value>;
  #isSettled = false;
  #waiting: Deferred<void> | undefined;

  constructor(promise: Promise<Value>) {
    this.promise = promise;
    const settle = (): void => {
      this.#isSettled = true;
      this.#waiting?.resolve();
    };
    promise.then(settle, settle);
  }

  async settlesWithin(withinMs: number, timer: Timer): Promise<boolean> {
    if (this.#isSettled) return true;
    const waiting = newDeferred();
    this.#waiting = waiting;
    const cancel = timer(() => waiting.resolve(), withinMs);
    await waiting.promise;
    cancel();
    return this.#isSettled;
  }
}
