import { type BusEvent, busLimits } from './bus.ts';

/**
 * One subscriber's bounded queue, read as an async iterable. Variants push into it, and its end makes them release it.
 */
export class Subscription<Message> implements AsyncIterable<BusEvent<Message>> {
  readonly #onEnd: (subscription: Subscription<Message>) => void;
  readonly #queue: BusEvent<Message>[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #removeAbortListener = () => {};

  constructor(signal: AbortSignal, onEnd: (subscription: Subscription<Message>) => void) {
    this.#onEnd = onEnd;
    const end = () => this.end();
    if (signal.aborted) {
      end();
      return;
    }
    signal.addEventListener('abort', end, { once: true });
    this.#removeAbortListener = () => signal.removeEventListener('abort', end);
  }

  push(event: BusEvent<Message>): void {
    if (this.#ended) return;
    if (this.#queue.length >= busLimits.queuedEvents) {
      this.#queue.length = 0;
      this.#queue.push({ type: 'gap' });
    }
    this.#queue.push(event);
    this.#wake?.();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#queue.length = 0;
    this.#removeAbortListener();
    this.#wake?.();
    this.#onEnd(this);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<BusEvent<Message>> {
    try {
      while (!this.#ended) {
        const event = this.#queue.shift();
        if (event) yield event;
        else await this.#somethingHappens();
      }
    } finally {
      this.end();
    }
  }

  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
