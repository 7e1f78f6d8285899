import { type Bus, type BusEvent, type BusTopic, encodeMessage } from '../src/platform/bus/bus.ts';
import { TopicSubscribers } from '../src/platform/bus/topic-subscribers.ts';

/** A bus that loses messages when a test asks for it, like a bus whose connection breaks. */
export class LossyBus implements Bus {
  readonly #subscribers = new TopicSubscribers();
  #isBroken = false;

  /** From now on messages are lost. */
  break(): void {
    this.#isBroken = true;
  }

  /** Messages arrive again, and each subscriber gets a gap for those that it has missed. */
  heal(): void {
    this.#isBroken = false;
    for (const topic of this.#subscribers.topics) this.#subscribers.tellGap(topic);
  }

  async publish<Message>({ name }: BusTopic<Message>, message: Message): Promise<void> {
    const text = encodeMessage(name, message);
    if (!this.#isBroken) this.#subscribers.deliver(name, text);
  }

  async subscribe<Message>(
    topic: BusTopic<Message>,
    { signal }: { signal: AbortSignal },
  ): Promise<AsyncIterable<BusEvent<Message>>> {
    return this.#subscribers.add(topic, signal);
  }

  async close(): Promise<void> {
    this.#subscribers.endAll();
  }
}
