import { Type } from 'typebox';
import { type Bus, type BusEvent, busTopic } from '../bus/bus.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** The message is the key of the lease. */
const freedTopic = busTopic('ownership.freed', Type.String());

/**
 * Tells the other processes which keys were given back, and hears it from them. The rows decide who owns a key, so a lost
 * message costs time only: those who wait look again when the lease would have expired.
 */
export class FreedLeases {
  readonly #bus: Pick<Bus, 'publish' | 'subscribe'>;
  readonly #waiting: Pick<WaitingRoom, 'wake' | 'wakeAll'>;
  readonly #closing = new AbortController();
  /** One for each key at most that this process has given back, for as long as the bus needs to take it. */
  readonly #announcing = new Set<Promise<void>>();

  constructor(bus: Pick<Bus, 'publish' | 'subscribe'>, waiting: Pick<WaitingRoom, 'wake' | 'wakeAll'>) {
    this.#bus = bus;
    this.#waiting = waiting;
  }

  async start(): Promise<void> {
    const events = await this.#bus.subscribe(freedTopic, { signal: this.#closing.signal });
    void this.#follow(events);
  }

  /** Does not make the caller wait for the bus. */
  announce(key: string): void {
    // The bus may be out of reach; the others then wait for the end of the lease.
    const announced = this.#bus.publish(freedTopic, key).catch(() => undefined);
    this.#announcing.add(announced);
    void announced.then(() => this.#announcing.delete(announced));
  }

  /** Resolves when everything that was announced has left this process. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#announcing);
  }

  async #follow(events: AsyncIterable<BusEvent<string>>): Promise<void> {
    for await (const event of events) {
      if (event.type === 'gap') this.#waiting.wakeAll();
      else this.#waiting.wake(event.message);
    }
  }
}
