import { type PushMessage, replacementKey } from './push-message.ts';

/** Messages on their way to a reader, at most `limit` of them. */
export class MessageQueue {
  readonly #limit: number;
  /** In the order in which they are read; a message that replaces another takes its place. */
  readonly #waiting = new Map<string, PushMessage>();
  #unnamed = 0;
  #end: { error?: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns false when there is no room: the reader has fallen behind. */
  push(message: PushMessage): boolean {
    const key = replacementKey(message) ?? `#${++this.#unnamed}`;
    if (this.#waiting.size >= this.#limit && !this.#waiting.has(key)) return false;
    this.#waiting.set(key, message);
    this.#wake();
    return true;
  }

  /** Empties the queue for a reader that fell behind and will begin again with a snapshot. */
  clear(): void {
    this.#waiting.clear();
  }

  /** The waiting messages are still read; then the reader's loop ends, or throws the error. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  /** Returns undefined after the end. */
  async next(): Promise<PushMessage | undefined> {
    for (;;) {
      for (const [key, message] of this.#waiting) {
        this.#waiting.delete(key);
        return message;
      }
      if (this.#end) {
        if ('error' in this.#end) throw this.#end.error;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
