import type { BusMessage } from './bus.ts';
import { Subscription } from './subscription.ts';

/** The subscribers in this process, by topic. */
export class TopicSubscribers {
  readonly #topics = new Map<string, Set<Subscription>>();
  readonly #onEmpty: (topic: string) => void;

  /** `onEmpty` is called when the last subscriber of a topic has ended. */
  constructor(onEmpty: (topic: string) => void = () => undefined) {
    this.#onEmpty = onEmpty;
  }

  get topics(): string[] {
    return [...this.#topics.keys()];
  }

  add(topic: string, signal: AbortSignal): Subscription {
    const subscribers = this.#topics.get(topic) ?? new Set();
    const subscription = new Subscription(signal, (ended) => this.#remove(topic, ended));
    if (signal.aborted) return subscription;
    subscribers.add(subscription);
    this.#topics.set(topic, subscribers);
    return subscription;
  }

  /** Parsed for each subscriber, so that no subscriber holds an object that another one can change. */
  deliver(topic: string, text: string): void {
    for (const subscription of this.#topics.get(topic) ?? [])
      subscription.push({ type: 'message', message: JSON.parse(text) as BusMessage });
  }

  tellGap(topic: string): void {
    for (const subscription of this.#topics.get(topic) ?? []) subscription.push({ type: 'gap' });
  }

  endAll(): void {
    for (const subscribers of [...this.#topics.values()])
      for (const subscription of [...subscribers]) subscription.end();
  }

  #remove(topic: string, subscription: Subscription): void {
    const subscribers = this.#topics.get(topic);
    subscribers?.delete(subscription);
    if (subscribers?.size !== 0) return;
    this.#topics.delete(topic);
    this.#onEmpty(topic);
  }
}
