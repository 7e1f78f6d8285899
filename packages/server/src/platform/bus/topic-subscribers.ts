import type { BusTopic } from './bus.ts';
import { Subscription } from './subscription.ts';

interface Subscriber {
  /** Throws for a text that is not a message of the topic. */
  take(text: string): void;
  tellGap(): void;
  end(): void;
}

/** The subscribers in this process, by topic. */
export class TopicSubscribers {
  readonly #topics = new Map<string, Map<object, Subscriber>>();
  readonly #onEmpty: (topic: string) => void;

  /** `onEmpty` is called when the last subscriber of a topic has ended. */
  constructor(onEmpty: (topic: string) => void = () => undefined) {
    this.#onEmpty = onEmpty;
  }

  get topics(): string[] {
    return [...this.#topics.keys()];
  }

  add<Message>({ name, read }: BusTopic<Message>, signal: AbortSignal): Subscription<Message> {
    const subscription = new Subscription<Message>(signal, (ended) => this.#remove(name, ended));
    if (signal.aborted) return subscription;
    const subscribers = this.#topics.get(name) ?? new Map<object, Subscriber>();
    subscribers.set(subscription, {
      take: (text) => subscription.push({ type: 'message', message: read(text) }),
      tellGap: () => subscription.push({ type: 'gap' }),
      end: () => subscription.end(),
    });
    this.#topics.set(name, subscribers);
    return subscription;
  }

  /**
   * Parsed for each subscriber, so that no subscriber holds an object that another one can change. Throws for a text that is no
   * message of the topic, after its subscribers have got a gap in its place.
   */
  deliver(topic: string, text: string): void {
    try {
      for (const subscriber of this.#topics.get(topic)?.values() ?? []) subscriber.take(text);
    } catch (error) {
      this.tellGap(topic);
      throw error;
    }
  }

  tellGap(topic: string): void {
    for (const subscriber of this.#topics.get(topic)?.values() ?? []) subscriber.tellGap();
  }

  endAll(): void {
    for (const subscribers of [...this.#topics.values()])
      for (const subscriber of [...subscribers.values()]) subscriber.end();
  }

  #remove(topic: string, subscription: object): void {
    const subscribers = this.#topics.get(topic);
    subscribers?.delete(subscription);
    if (subscribers?.size !== 0) return;
    this.#topics.delete(topic);
    this.#onEmpty(topic);
  }
}
