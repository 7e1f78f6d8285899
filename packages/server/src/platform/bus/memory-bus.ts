import { type Bus, type BusEvent, type BusMessage, checkTopic, encodeMessage } from './bus.ts';
import { Subscription } from './subscription.ts';

/** The bus of one process. */
export class MemoryBus implements Bus {
  readonly #topics = new Map<string, Set<Subscription>>();
  #closed = false;

  async publish(topic: string, message: BusMessage): Promise<void> {
    this.#checkOpen();
    checkTopic(topic);
    const text = encodeMessage(topic, message);
    for (const subscription of this.#topics.get(topic) ?? []) {
      // Parsed for each subscriber, so that no subscriber holds an object that another one can change.
      subscription.push({ type: 'message', message: JSON.parse(text) as BusMessage });
    }
  }

  async subscribe(topic: string, { signal }: { signal: AbortSignal }): Promise<AsyncIterable<BusEvent>> {
    this.#checkOpen();
    checkTopic(topic);
    const subscribers = this.#topics.get(topic) ?? new Set();
    const subscription = new Subscription(signal, (ended) => this.#remove(topic, ended));
    if (signal.aborted) return subscription;
    subscribers.add(subscription);
    this.#topics.set(topic, subscribers);
    return subscription;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const subscribers of [...this.#topics.values()]) {
      for (const subscription of [...subscribers]) subscription.end();
    }
  }

  #remove(topic: string, subscription: Subscription): void {
    const subscribers = this.#topics.get(topic);
    subscribers?.delete(subscription);
    if (subscribers?.size === 0) this.#topics.delete(topic);
  }

  #checkOpen(): void {
    if (this.#closed) throw new Error('The bus is closed.');
  }
}
