import { systemTimer } from '../../lib/async/timer.ts';
import { newId } from '../../lib/ids.ts';
import type { RedisClient, RedisServer } from '../redis/redis-server.ts';
import { type Bus, type BusEvent, type BusTopic, encodeMessage } from './bus.ts';
import { TopicSubscribers } from './topic-subscribers.ts';

interface RedisBusOptions {
  /** Called for each text from Redis that is not a message of its topic. Its subscribers have got a gap in its place. */
  onMisfit: (topic: string, error: unknown) => void;
}

/** More topics than the gateway has. Beyond it a gap is announced for all topics. */
const maxLostTopics = 1_000;
const allTopics = '*';
/** The wait before each try to announce what could not be sent. */
const announceAfterMs = 250;

/**
 * The bus of several processes, over Redis' publish and subscribe. Subscribers in this process get a message directly, so
 * they hear each other while Redis is away. What could not be sent is announced to the others as a gap, once Redis is back.
 */
export class RedisBus implements Bus {
  readonly #redis: RedisServer;
  readonly #options: RedisBusOptions;
  readonly #listener: RedisClient;
  /** Begins each message, so that this process leaves out its own. */
  readonly #sender = newId();
  readonly #subscribers: TopicSubscribers;
  /** The topics that Redis sends us, with its confirmation. */
  readonly #heard = new Map<string, Promise<unknown>>();
  readonly #lost = new Set<string>();
  #cancelAnnouncement: (() => void) | null = null;
  #isClosed = false;

  private constructor(redis: RedisServer, options: RedisBusOptions) {
    this.#redis = redis;
    this.#options = options;
    this.#listener = redis.connect('bus');
    this.#subscribers = new TopicSubscribers((topic) => this.#unhear(topic));
  }

  static async open(redis: RedisServer, options: RedisBusOptions): Promise<RedisBus> {
    const bus = new RedisBus(redis, options);
    const listener = bus.#listener;
    await redis.untilReady(listener);
    await listener.subscribe(bus.#gapChannel);
    listener.on('message', (channel, text) => bus.#receive(channel, text));
    listener.on('ready', () => void bus.#resume());
    return bus;
  }

  async publish<Message>({ name }: BusTopic<Message>, message: Message): Promise<void> {
    this.#checkOpen();
    const text = encodeMessage(name, message);
    this.#subscribers.deliver(name, text);
    if (!(await this.#send(this.#channelOf(name), text))) this.#remember(name);
  }

  async subscribe<Message>(
    topic: BusTopic<Message>,
    { signal }: { signal: AbortSignal },
  ): Promise<AsyncIterable<BusEvent<Message>>> {
    this.#checkOpen();
    const subscription = this.#subscribers.add(topic, signal);
    if (!signal.aborted) await this.#hear(topic.name);
    return subscription;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelAnnouncement?.();
    this.#subscribers.endAll();
    this.#redis.release(this.#listener);
  }

  /** Does not throw when Redis is away: the subscriber gets a gap when the connection is back. */
  async #hear(topic: string): Promise<void> {
    const known = this.#heard.get(topic);
    const heard = known ?? this.#listener.subscribe(this.#channelOf(topic));
    if (known === undefined) this.#heard.set(topic, heard);
    await heard.catch(() => {
      if (this.#heard.get(topic) === heard) this.#heard.delete(topic);
    });
  }

  #unhear(topic: string): void {
    const isHeard = this.#heard.delete(topic);
    if (!isHeard || this.#isClosed) return;
    // A connection that breaks forgets its topics by itself.
    this.#listener.unsubscribe(this.#channelOf(topic)).catch(() => undefined);
  }

  /** The connection is back. What was published meanwhile is lost, and every subscriber gets a gap. */
  async #resume(): Promise<void> {
    this.#heard.clear();
    const topics = this.#subscribers.topics;
    try {
      const all = this.#listener.subscribe(
        this.#gapChannel,
        ...topics.map((topic) => this.#channelOf(topic)),
      );
      for (const topic of topics) this.#heard.set(topic, all);
      await all;
    } catch {
      // The connection broke again, and its next one resumes.
      this.#heard.clear();
      return;
    }
    for (const topic of topics) this.#subscribers.tellGap(topic);
  }

  #receive(channel: string, text: string): void {
    const space = text.indexOf(' ');
    if (text.slice(0, space) === this.#sender) return;
    const content = text.slice(space + 1);
    if (channel === this.#gapChannel) this.#tellGaps(content.split(' '));
    else this.#deliver(channel.slice(this.#channelOf('').length), content);
  }

  #deliver(topic: string, text: string): void {
    try {
      this.#subscribers.deliver(topic, text);
    } catch (error) {
      this.#options.onMisfit(topic, error);
    }
  }

  #tellGaps(topics: readonly string[]): void {
    const meant = topics.includes(allTopics) ? this.#subscribers.topics : topics;
    for (const topic of meant) this.#subscribers.tellGap(topic);
  }

  /** A connection that only answered too late, or refused a message, holds. So time has to say when to announce it. */
  #remember(topic: string): void {
    this.#lost.add(this.#lost.size < maxLostTopics ? topic : allTopics);
    if (this.#isClosed) return;
    this.#cancelAnnouncement ??= systemTimer(() => void this.#announceLost(), announceAfterMs);
  }

  async #announceLost(): Promise<void> {
    this.#cancelAnnouncement = null;
    const topics = [...this.#lost];
    this.#lost.clear();
    if (await this.#send(this.#gapChannel, topics.join(' '))) return;
    for (const topic of topics) this.#remember(topic);
  }

  async #send(channel: string, text: string): Promise<boolean> {
    return this.#redis.commands.publish(channel, `${this.#sender} ${text}`).then(
      () => true,
      () => false, // The gap that follows says it.
    );
  }

  get #gapChannel(): string {
    return this.#redis.channel('gaps');
  }

  #channelOf(topic: string): string {
    return this.#redis.channel('bus', topic);
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new Error('The bus is closed.');
  }
}
