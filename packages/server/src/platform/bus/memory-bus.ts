import { type Bus, type BusEvent, type BusMessage, checkTopic, encodeMessage } from './bus.ts';
import { TopicSubscribers } from './topic-subscribers.ts';

/** The bus of one process. */
export class MemoryBus implements Bus {
  readonly #subscribers = new TopicSubscribers();
  #closed = false;

  async publish(topic: string, message: BusMessage): Promise<void> {
    this.#checkOpen();
    checkTopic(topic);
    this.#subscribers.deliver(topic, encodeMessage(topic, message));
  }

  async subscribe(topic: string, { signal }: { signal: AbortSignal }): Promise<AsyncIterable<BusEvent>> {
    this.#checkOpen();
    checkTopic(topic);
    return this.#subscribers.add(topic, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#subscribers.endAll();
  }

  #checkOpen(): void {
    if (this.#closed) throw new Error('The bus is closed.');
  }
}
