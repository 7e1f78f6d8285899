import {
  type Bus,
  type BusEvent,
  type BusMessage,
  checkTopic,
  encodeMessage,
} from '../src/platform/bus/bus.ts';
import { Subscription } from '../src/platform/bus/subscription.ts';

/** A bus that loses messages when a test says so, as one does whose connection breaks. */
export class LossyBus implements Bus {
  readonly #topics = new Map<string, Set<Subscription>>();
  #isBroken = false;

  /** From now on messages are lost. */
  break(): void {
    this.#isBroken = true;
  }

  /** Messages arrive again, and each subscriber hears that it has missed some. */
  heal(): void {
    this.#isBroken = false;
    for (const subscribers of this.#topics.values())
      for (const subscription of subscribers) subscription.push({ type: 'gap' });
  }

  async publish(topic: string, message: BusMessage): Promise<void> {
    checkTopic(topic);
    const text = encodeMessage(topic, message);
    if (this.#isBroken) return;
    for (const subscription of this.#topics.get(topic) ?? [])
      subscription.push({ type: 'message', message: JSON.parse(text) as BusMessage });
  }

  async subscribe(topic: string, { signal }: { signal: AbortSignal }): Promise<AsyncIterable<BusEvent>> {
    checkTopic(topic);
    const subscribers = this.#topics.get(topic) ?? new Set();
    const subscription = new Subscription(signal, (ended) => subscribers.delete(ended));
    this.#topics.set(topic, subscribers.add(subscription));
    return subscription;
  }

  async close(): Promise<void> {
    for (const subscribers of this.#topics.values())
      for (const subscription of [...subscribers]) subscription.end();
  }
}
