import { type Bus, type BusEvent, type BusTopic, encodeMessage } from './bus.ts';
import { TopicSubscribers } from './topic-subscribers.ts';

/** The bus of one process. */
export class MemoryBus implements Bus {
  readonly #subscribers = new TopicSubscribers();
  #closed = false;

  async publish<Message>({ name }: BusTopic<Message>, message: Message): Promise<void> {
    this.#checkOpen();
    this.#subscribers.deliver(name, encodeMessage(name, message));
  }

  async subscribe<Message>(
    topic: BusTopic<Message>,
    { signal }: { signal: AbortSignal },
  ): Promise<AsyncIterable<BusEvent<Message>>> {
    this.#checkOpen();
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
